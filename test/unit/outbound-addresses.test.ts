// Which addresses the service may call (src/platform/outbound/outbound-addresses.ts).

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createAddressFilter } from '../../src/platform/outbound/outbound-addresses.ts';

describe('an address is public or refused', () => {
  // The first and last address of each range, and their neighbors.
  const table = `
    0.0.0.0                                  unspecified                 refused
    0.255.255.255                            this network                refused
    1.0.0.0                                  after it                    public
    8.8.8.8                                  anyone's                   public
    9.255.255.255                            before private              public
    10.0.0.0                                 private                     refused
    10.255.255.255                           private                     refused
    11.0.0.0                                 after private               public
    100.63.255.255                           before carriers             public
    100.64.0.0                               carriers                    refused
    100.100.100.200                          metadata                    refused
    100.127.255.255                          carriers                    refused
    100.128.0.0                              after carriers              public
    126.255.255.255                          before loopback             public
    127.0.0.1                                loopback                    refused
    127.255.255.255                          loopback                    refused
    128.0.0.0                                after loopback              public
    168.63.129.15                            before Azure's platform     public
    168.63.129.16                            Azure's platform            refused
    168.63.129.17                            after it                    public
    169.253.255.255                          before link-local           public
    169.254.0.0                              link-local                  refused
    169.254.169.254                          metadata                    refused
    169.254.170.2                            metadata of containers      refused
    169.254.255.255                          link-local                  refused
    169.255.0.0                              after link-local            public
    172.15.255.255                           before private              public
    172.16.0.0                               private                     refused
    172.31.255.255                           private                     refused
    172.32.0.0                               after private               public
    191.255.255.255                          before protocols            public
    192.0.0.0                                protocols                   refused
    192.0.0.192                              metadata                    refused
    192.0.0.255                              protocols                   refused
    192.0.1.0                                between                     public
    192.0.2.0                                documentation               refused
    192.0.2.255                              documentation               refused
    192.0.3.0                                after documentation         public
    192.88.98.255                            before 6to4 relays          public
    192.88.99.1                              6to4 relays                 refused
    192.88.100.0                             after 6to4 relays           public
    192.167.255.255                          before private              public
    192.168.0.0                              private                     refused
    192.168.255.255                          private                     refused
    192.169.0.0                              after private               public
    198.17.255.255                           before benchmarks           public
    198.18.0.0                               benchmarks                  refused
    198.19.255.255                           benchmarks                  refused
    198.20.0.0                               after benchmarks            public
    198.51.99.255                            before documentation        public
    198.51.100.7                             documentation               refused
    198.51.101.0                             after documentation         public
    203.0.112.255                            before documentation        public
    203.0.113.7                              documentation               refused
    203.0.114.0                              after documentation         public
    223.255.255.255                          before multicast            public
    224.0.0.1                                multicast                   refused
    239.255.255.255                          multicast                   refused
    240.0.0.0                                reserved                    refused
    255.255.255.254                          reserved                    refused
    255.255.255.255                          broadcast                   refused
    ::                                       unspecified                 refused
    ::1                                      loopback                    refused
    ::8.8.8.8                                IPv4-compatible             refused
    ::127.0.0.1                              IPv4-compatible             refused
    ::ffff:8.8.8.8                           IPv4-mapped, anyone's      public
    ::ffff:808:808                           the same, in hex            public
    ::ffff:127.0.0.1                         IPv4-mapped, loopback       refused
    ::ffff:7f00:1                            the same, in hex            refused
    0:0:0:0:0:FFFF:A9FE:A9FE                 IPv4-mapped, metadata       refused
    ::ffff:0:8.8.8.8                         IPv4-translated             refused
    64:ff9b::8.8.8.8                         NAT64, anyone's            public
    64:ff9b::10.0.0.1                        NAT64, private              refused
    64:ff9b::a9fe:a9fe                       NAT64, metadata             refused
    64:ff9b::1:8.8.8.8                       beyond NAT64                refused
    64:ff9b:1::8.8.8.8                       NAT64 of a network's own    refused
    100::1                                   discard                     refused
    1fff:ffff::1                             before global unicast       refused
    2000::                                   global unicast              public
    2001::1                                  Teredo                      refused
    2001:0:4136:e378:8000:63bf:3fff:fdd2     Teredo                      refused
    2001:1::1                                protocols                   refused
    2001:2::1                                benchmarks                  refused
    2001:10::1                               ORCHID                      refused
    2001:20::1                               ORCHID                      refused
    2001:1ff:ffff::1                         protocols                   refused
    2001:200::1                              after protocols             public
    2001:4860:4860::8888                     anyone's                   public
    2001:db7:ffff::1                         before documentation        public
    2001:db8::1                              documentation               refused
    2001:db8:ffff:ffff:ffff:ffff:ffff:ffff   documentation               refused
    2001:db9::                               after documentation         public
    2002:a00:1::1                            6to4 of a private address   refused
    2002:808:808::1                          6to4 of a public address    refused
    2003::                                   after 6to4                  public
    2606:4700::1111                          anyone's                   public
    3ffe::1                                  global unicast              public
    3fff::1                                  documentation               refused
    3fff:fff:ffff::1                         documentation               refused
    3fff:1000::1                             after documentation         public
    4000::1                                  not handed out              refused
    5f00::1                                  segment routing             refused
    fbff::1                                  not handed out              refused
    fc00::1                                  unique local                refused
    fd00:ec2::254                            metadata                    refused
    fd20:ce::254                             metadata                    refused
    fdff:ffff::1                             unique local                refused
    fe80::1                                  link-local                  refused
    fe80::1%eth0                             link-local, with a zone     refused
    2606:4700::1111%eth0                     anyone's, with a zone      public
    febf::1                                  link-local                  refused
    fec0::1                                  site-local                  refused
    ff02::1                                  multicast                   refused
    ff0e::1                                  multicast                   refused
    2130706433                               not an address              refused
    0x7f.1                                   not an address              refused
    127.1                                    not an address              refused
    08.8.8.8                                 not an address              refused
    example.com                              not an address              refused
  `;
  const filter = createAddressFilter([]);
  for (const [address, what, place] of rowsOf(table)) {
    test(`${address} (${what}) is ${place}`, () => assert.equal(filter.place(address), place));
  }

  test('no address at all is refused', () => assert.equal(filter.place(''), 'refused'));
});

describe('what the operator admits is the operator’s own, and nothing beside it', () => {
  const allow = [
    '10.20.0.0/16',
    '127.0.0.1',
    '169.254.10.0/24',
    '8.8.8.0/24',
    'fd12:3456::/32',
    '::1',
    '2001:db8:7::/48',
  ];
  const table = `
    10.20.0.0                admitted                       own
    10.20.255.255            admitted                       own
    10.19.255.255            before it                      refused
    10.21.0.0                after it                       refused
    ::ffff:10.20.0.1         admitted, IPv4-mapped          own
    ::ffff:10.21.0.1         not admitted, IPv4-mapped      refused
    64:ff9b::10.20.0.1       admitted, through NAT64        own
    64:ff9b::10.21.0.1       not admitted, through NAT64    refused
    2002:a14:1::1            a 6to4 address of it           refused
    ::10.20.0.1              an IPv4-compatible one         refused
    127.0.0.1                a single address               own
    127.0.0.2                its neighbor                  refused
    169.254.10.1             admitted                       own
    169.254.169.254          not admitted                   refused
    8.8.8.8                  admitted, although public      own
    8.8.4.4                  public                         public
    fd12:3456:ffff::1        admitted                       own
    fd12:3457::1             after it                       refused
    ::1                      a single address               own
    2001:db8:7:1::1          admitted                       own
    2001:db8:8::1            after it                       refused
  `;
  const filter = createAddressFilter(allow);
  for (const [address, what, place] of rowsOf(table)) {
    test(`${address} (${what}) is ${place}`, () => assert.equal(filter.place(address), place));
  }
});

function rowsOf(table: string): readonly (readonly [address: string, what: string, place: string])[] {
  return table
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => {
      const [address = '', what = '', place = ''] = line.split(/ {2,}/);
      return [address, what, place];
    });
}
