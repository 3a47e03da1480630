// The addresses of a name, for outbound.ts.
// Always true: a name whose servers do not answer delays nobody else's. Node's usual look-up waits in a thread, and of
// those there are two for all names; here questions are asked of the name servers directly, hundreds at once.

import { lookup, Resolver } from 'node:dns/promises';

export interface NameResolver {
  /** Every address, IPv4 first; none: there is no such name. */
  resolve(name: string): Promise<readonly string[]>;
  /** Gives up what is under way. */
  close(): void;
}

export interface NameLimits {
  /** Waited for one name server before the next is asked; in a second round twice as long. */
  readonly nameServerMilliseconds: number;
}

/**
 * `usesSystem`: what the name servers do not know is looked up as other programs of the machine do it, in its hosts file and
 * search domains. That is where containers and clusters keep the names of an operator's own machines.
 */
export function createNameResolver(options: {
  readonly usesSystem: boolean;
  readonly limits: NameLimits;
  /** Addresses with ports; absent: those of the machine. */
  readonly nameServers?: readonly string[];
}): NameResolver {
  const { usesSystem, limits, nameServers } = options;
  const resolver = new Resolver({ timeout: limits.nameServerMilliseconds, tries: 2 });
  if (nameServers !== undefined) resolver.setServers(nameServers);
  return {
    async resolve(name) {
      // No name server is to be asked for it (RFC 6761, section 6.3).
      if (/(^|\.)localhost\.?$/.test(name)) return ['127.0.0.1', '::1'];
      const found = await Promise.all([
        resolver.resolve4(name).catch(() => []),
        resolver.resolve6(name).catch(() => []),
      ]);
      if (!usesSystem || found.flat().length > 0) return found.flat();
      const known = await lookup(name, { all: true }).catch(() => []);
      return known.map(({ address }) => address);
    },
    close: () => resolver.cancel(),
  };
}
