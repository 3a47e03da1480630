// Makes certificates for tests: an authority, and certificates for names and addresses, some of them expired.

import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

export interface ThrowawayCertificate {
  readonly cert: string;
  readonly key: string;
}

export interface CertificateAuthority extends ThrowawayCertificate {
  /** For DNS names and IPv4 addresses. */
  issue(names: readonly string[], validity?: 'valid' | 'expired'): ThrowawayCertificate;
}

export function createCertificateAuthority(): CertificateAuthority {
  const own = newKeys();
  const name = 'Throwaway authority';
  const cert = certificate({ issuer: name, subject: name, keys: own, signer: own.privateKey, names: [] });
  return {
    ...pem(cert, own.privateKey),
    issue(names, validity = 'valid') {
      const keys = newKeys();
      const issued = { issuer: name, subject: 'Throwaway server', keys, signer: own.privateKey, names };
      return pem(certificate({ ...issued, isExpired: validity === 'expired' }), keys.privateKey);
    },
  };
}

interface Keys {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

function newKeys(): Keys {
  return generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
}

interface Subject {
  readonly issuer: string;
  readonly subject: string;
  readonly keys: Keys;
  readonly signer: KeyObject;
  readonly names: readonly string[];
  readonly isExpired?: boolean;
}

/** Encodes a certificate in DER (RFC 5280, section 4.1). */
function certificate({ issuer, subject, keys, signer, names, isExpired = false }: Subject): Buffer {
  const algorithm = sequence(oid('2a8648ce3d040302')); // ecdsa-with-SHA256
  const until = isExpired ? '20210101000000Z' : '20991231235959Z';
  const toBeSigned = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    algorithm,
    commonName(issuer),
    sequence(der(0x18, Buffer.from('20200101000000Z')), der(0x18, Buffer.from(until))),
    commonName(subject),
    keys.publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(names.length === 0 ? isAuthority() : subjectNames(names))),
  );
  const signature = sign('sha256', toBeSigned, signer);
  return sequence(toBeSigned, algorithm, der(0x03, Buffer.concat([Buffer.from([0]), signature])));
}

function isAuthority(): Buffer {
  return extension('551d13', sequence(der(0x01, Buffer.from([0xff]))));
}

function subjectNames(names: readonly string[]): Buffer {
  const entries = names.map((name) =>
    /^[\d.]+$/.test(name)
      ? der(0x87, Buffer.from(name.split('.').map(Number)))
      : der(0x82, Buffer.from(name)),
  );
  return extension('551d11', sequence(...entries));
}

function extension(id: string, value: Buffer): Buffer {
  return sequence(oid(id), der(0x04, value));
}

function commonName(name: string): Buffer {
  return sequence(der(0x31, sequence(oid('550403'), der(0x0c, Buffer.from(name)))));
}

function oid(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, 'hex'));
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return der(0x30, Buffer.concat(parts));
}

function der(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const size =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function pem(der: Buffer, key: KeyObject): ThrowawayCertificate {
  // A blank line before the end, as where the last line is full, makes it unreadable.
  const lines = der.toString('base64').replaceAll(/.{64}(?!$)/g, '$&\n');
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    key: key.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}
