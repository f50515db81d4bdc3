import type { MeasuredServer } from "./servers.ts";

/** Microseconds of processor time that a server uses while something is done. */
export async function cpuOf(server: MeasuredServer, work: () => Promise<unknown>): Promise<number> {
  const before = await server.usage();
  await work();
  return (await server.usage()).cpu - before.cpu;
}
