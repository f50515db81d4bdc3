import type { AddressInfo } from "node:net";

/** Where a server listens, such as `http://127.0.0.1:8080`. */
export function baseAddress(address: AddressInfo | string | null): string {
  if (address === null || typeof address === "string") return String(address);
  const host = address.family === "IPv6" ? `[${address.address}]` : address.address;
  return `http://${host}:${address.port}`;
}
