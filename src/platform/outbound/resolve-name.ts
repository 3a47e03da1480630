// DNS that asks name servers directly: Node's look-up shares two threads, so slow servers would delay all other names.

import { lookup, Resolver } from 'node:dns/promises';

export interface NameResolver {
  /** IPv4 first; [] if the name does not exist. */
  resolve(name: string): Promise<readonly string[]>;
  close(): void;
}

export interface NameLimits {
  readonly nameServerMilliseconds: number;
}

/** `usesSystem`: also tries the machine's hosts file and search domains, where containers and clusters keep internal names. */
export function createNameResolver(options: {
  readonly usesSystem: boolean;
  readonly limits: NameLimits;
  readonly nameServers?: readonly string[];
}): NameResolver {
  const { usesSystem, limits, nameServers } = options;
  const resolver = new Resolver({ timeout: limits.nameServerMilliseconds, tries: 2 });
  if (nameServers !== undefined) resolver.setServers(nameServers);
  return {
    async resolve(name) {
      // localhost must not be looked up on a name server (RFC 6761, section 6.3).
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
