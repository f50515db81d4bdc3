/** What all parts of a benchmark against servers written by hand share. */
import type { Place } from "./place.ts";
import type { Report } from "./report.ts";
import type { MeasuredServer } from "./servers.ts";

export interface Setting {
  readonly place: Place;
  readonly bundle: string;
  readonly rounds: number;
  readonly scale: number;
  readonly report: Report;
}

/** The generated server and the one written by hand. */
export interface Both {
  readonly generated: MeasuredServer;
  readonly byHand: MeasuredServer;
}

/** In turns, so that none always comes first. */
export function inTurn({ generated, byHand }: Both, round: number): readonly MeasuredServer[] {
  return round % 2 === 0 ? [byHand, generated] : [generated, byHand];
}

/** Numbers in order. */
export function sorted(values: readonly number[]): readonly number[] {
  return [...values].sort((a, b) => a - b);
}

/** Such a part of them is not above it. */
export function part(values: readonly number[], share: number): number {
  return sorted(values)[Math.floor(values.length * share)] ?? Number.NaN;
}
