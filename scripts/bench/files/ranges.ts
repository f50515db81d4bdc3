/** A part of a file: what it costs of a large one, and of a small one, on the generated server. */
import { randomInt } from "node:crypto";
import { middle } from "../middle.ts";
import type { MeasuredServer } from "../servers.ts";
import type { Setting } from "../setting.ts";
import { type Load, type LoadMeasure, measureLoad } from "./load.ts";
import { Files } from "./transfers.ts";

const PART = 1_024;
const SMALL = 65_536;
const LARGE = 2 ** 30;

export async function ranges({ rounds, scale, report }: Setting, server: MeasuredServer): Promise<void> {
  const loadOf = async (size: number): Promise<Load> => {
    const [path = ""] = await new Files(size).several(server, 1);
    return {
      name: `range of ${size}`,
      connections: 64,
      amount: Math.max(100, Math.round(10_000 * scale)),
      status: 206,
      bytes: PART,
      request: () => {
        const first = randomInt(size - PART);
        return { method: "GET", path, headers: { range: `bytes=${first}-${first + PART - 1}` } };
      },
    };
  };
  const [small, large] = [await loadOf(SMALL), await loadOf(LARGE)];
  const [ofSmall, ofLarge]: [LoadMeasure[], LoadMeasure[]] = [[], []];
  for (let round = -1; round < rounds; round++) {
    for (const load of round % 2 === 0 ? [small, large] : [large, small]) {
      const measure = await measureLoad(server, load);
      if (round >= 0) (load === small ? ofSmall : ofLarge).push(measure);
    }
  }
  const ratio = (what: keyof LoadMeasure) =>
    middle(ofLarge.map((one, round) => one[what] / (ofSmall[round] ?? one)[what]));
  report.add("1 KiB of a file of 1 GiB: CPU against the same of 64 KiB", ratio("cpu"), "at most 1");
  report.add("1 KiB of a file of 1 GiB: time against the same of 64 KiB", ratio("time"), "at most 1");
}
