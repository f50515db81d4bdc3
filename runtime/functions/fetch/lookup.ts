import type { LookupFunction } from "node:net";
import { isPublic } from "./network.ts";

/** What a name stands for. */
export type Resolve = (name: string) => Promise<readonly ResolvedAddress[]>;

export interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

/**
 * How sockets find addresses: they connect to those that are answered here, which were checked, and ask nobody again. So
 * a name that stands for another address a moment later gains nothing.
 */
export function publicLookup(resolve: Resolve): LookupFunction {
  return (name, options, callback) => {
    resolve(name).then(
      (found) => {
        const [first, ...more] = found.filter(({ address }) => isPublic(address));
        if (first === undefined) callback(notPublic(name), "", 0);
        else if (options.all) callback(null, [first, ...more]);
        else callback(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, "", 0),
    );
  };
}

function notPublic(name: string): NodeJS.ErrnoException {
  return new TypeError(`ctx.fetch: ${name} stands for no public address`);
}
