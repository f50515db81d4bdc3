import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { kept, Recent } from "../kept.ts";

/** The client's address, from the socket's and the `X-Forwarded-For` header. */
export type AddressOf = (socket: string, forwarded: string | undefined) => string;

/** Nobody's `X-Forwarded-For` is believed. */
export const trustNobody: AddressOf = (socket) => plain(socket) ?? socket;

/** Believes the `hops` nearest proxies, the one that connects to us included. */
export function trustHops(hops: number): AddressOf {
  return (socket, forwarded) => {
    const trail = trailOf(socket, forwarded);
    return trail[Math.min(hops, trail.length - 1)] ?? socket;
  };
}

/** Believes proxies whose address lies in one of the networks. */
export function trustNetworks(networks: readonly Network[]): AddressOf {
  return (socket, forwarded) => {
    const trail = trailOf(socket, forwarded);
    return trail.find((address) => !contains(networks, address)) ?? trail.at(-1) ?? socket;
  };
}

/** The addresses that a request came through, nearest first; ends before the first entry that is not an address. */
function trailOf(socket: string, forwarded: string | undefined): string[] {
  const trail = [plain(socket) ?? socket];
  for (const entry of forwarded === undefined ? [] : forwarded.split(",").reverse()) {
    const address = plain(withoutPort(entry.trim()));
    if (address === undefined) break;
    trail.push(address);
  }
  return trail;
}

/** `[::1]:80` and `10.0.0.1:80` occur in the header too. */
function withoutPort(entry: string): string {
  return /^\[([^\]]+)\](?::\d+)?$/.exec(entry)?.[1] ?? /^([\d.]+):\d+$/.exec(entry)?.[1] ?? entry;
}

/** In its usual form, an IPv4 address mapped into IPv6 as IPv4; undefined for what is no address. */
function plain(address: string): string | undefined {
  return isIP(address) === 0
    ? undefined
    : kept(usualForms, address, () => ipaddr.process(address).toString());
}

/** Many requests come from few addresses, mostly: those of connections that stay open, and of proxies. */
const usualForms = new Recent<string, string>(1_000);

/** A network: an address and the length of its prefix. */
export type Network = readonly [ipaddr.IPv4 | ipaddr.IPv6, number];

/** `10.0.0.0/8`, `2001:db8::/32`, or one address, also mapped ones; undefined for anything else. */
export function parseNetwork(text: string): Network | undefined {
  // ipaddr.js alone would take short forms such as 10.1 too.
  if (isIP(text.replace(/\/\d+$/, "")) === 0) return undefined;
  if (!text.includes("/")) {
    const address = ipaddr.process(text);
    return [address, address.kind() === "ipv4" ? 32 : 128];
  }
  if (!ipaddr.isValidCIDR(text)) return undefined;
  const [address, bits] = ipaddr.parseCIDR(text);
  const isMapped = address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() && bits >= mappedBits;
  return isMapped ? [address.toIPv4Address(), bits - mappedBits] : [address, bits];
}

/** Of the prefix `::ffff:0:0` of mapped addresses. */
const mappedBits = 96;

/** Whether one of the networks holds the address; what is IPv4 mapped into IPv6 counts as IPv4, in both. */
export function contains(networks: readonly Network[], address: string): boolean {
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.process(address);
  return networks.some(([network, bits]) => network.kind() === parsed.kind() && parsed.match(network, bits));
}
