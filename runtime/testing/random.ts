/**
 * Whether tests that try random or very many things try all that they can: `REALMC_TESTS=full`, which `npm run test:full` sets.
 * Otherwise they try a tenth, the first ones of the same seed.
 */
export const isFull = process.env["REALMC_TESTS"] === "full";

/** How many of so many things to try. */
export function runs(all: number): number {
  return isFull ? all : Math.ceil(all / 10);
}
