/** Where `ctx.fetch` may go: what `network` of function.yaml declares, and no address that is somebody's own. */
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/** IPv6 that is routed to anybody: 2000::/3. What embeds IPv4 or leads through tunnels lies in it, too, under names of its own. */
const globalUnicast = ipaddr.IPv6.parse("2000::");

/** The entries of `network`. */
export class Network {
  readonly #names = new Set<string>();
  /** With the dot in front. */
  readonly #suffixes: readonly string[];
  /** `address port`. */
  readonly #addresses = new Set<string>();

  constructor(entries: readonly string[]) {
    const suffixes: string[] = [];
    for (const entry of entries) {
      const [, six, four, port] = /^(?:\[([^\]]+)\]|([^:]+)):(\d+)$/.exec(entry) ?? [];
      const address = six ?? four;
      if (address !== undefined) this.#addresses.add(`${usual(address)} ${port}`);
      else if (entry.startsWith("*.")) suffixes.push(entry.slice(1).toLowerCase());
      else this.#names.add(entry.toLowerCase());
    }
    this.#suffixes = suffixes;
  }

  /**
   * The URL has been read, so that hosts are in lower case and addresses in their usual forms, however they were written.
   * @throws TypeError where a request may not go
   */
  check(url: URL): void {
    if (url.protocol !== "http:" && url.protocol !== "https:") {
      throw new TypeError(`ctx.fetch: ${url.protocol} is not http: or https:`);
    }
    if (url.username !== "" || url.password !== "") {
      throw new TypeError("ctx.fetch: credentials stand in a header, not in the URL");
    }
    if (!this.#declares(url)) throw new TypeError(`ctx.fetch: network of function.yaml has no ${url.host}`);
  }

  #declares({ hostname, protocol, port }: URL): boolean {
    const host = hostname.replace(/^\[|\]$/g, "");
    if (isIP(host) !== 0) {
      return this.#addresses.has(`${usual(host)} ${port || (protocol === "https:" ? "443" : "80")}`);
    }
    const name = host.replace(/\.$/, "");
    return this.#names.has(name) || this.#suffixes.some((suffix) => name.endsWith(suffix));
  }
}

/** An address in its usual form, one of IPv4 that is mapped into IPv6 as IPv4. */
function usual(address: string): string {
  return ipaddr.process(address).toString();
}

/** Whether an address that a name resolved to is one of the public network's. */
export function isPublic(address: string): boolean {
  const parsed = ipaddr.process(address);
  if (parsed.range() !== "unicast") return false;
  return parsed instanceof ipaddr.IPv4 || parsed.match(globalUnicast, 3);
}
