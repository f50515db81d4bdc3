import type { Seen } from "./setting.ts";

/**
 * What is wrong with what a consumer has seen: every change is there once, those of a document in their order, those of a
 * batch together, nothing that was acknowledged is missing, and nothing that is stored.
 * @param acknowledged `<collection> <id> <did>`
 * @param stored versions by `<collection> <id>`
 */
export function judge(
  acknowledged: readonly string[],
  changes: readonly Seen[],
  stored: ReadonlyMap<string, number>,
): readonly string[] {
  const problems: string[] = [];
  const histories = new Map<string, string[]>();
  const batches = new Map<string, number>();
  const ordered = [...changes].sort((a, b) => a.step - b.step || a.place - b.place);
  for (const { document, did, batch, step } of ordered) {
    const history = histories.get(document) ?? [];
    histories.set(document, [...history, did]);
    if (batch === null || did.startsWith("-")) continue;
    const known = batches.get(batch);
    if (known !== undefined && known !== step) problems.push(`batch ${batch} was seen in parts`);
    batches.set(batch, step);
  }
  for (const [document, history] of histories) {
    const last = Number(history.at(-1)?.slice(1));
    const isGone = history.at(-1)?.startsWith("-") === true;
    const expected = Array.from({ length: last }, (_, n) => (n === 0 ? "+1" : `~${n + 1}`));
    if (isGone) expected.push(`-${last}`);
    if (history.join() !== expected.join()) problems.push(`${document} was seen as ${history.join(" ")}`);
    const version = stored.get(document);
    if (isGone ? version !== undefined : version !== last)
      problems.push(`${document} was last seen as ${history.at(-1)}, and is ${version ?? "gone"}`);
  }
  for (const document of stored.keys())
    if (!histories.has(document)) problems.push(`${document} was never seen`);
  const known = new Set(changes.map(({ document, did }) => `${document} ${did}`));
  for (const write of acknowledged) if (!known.has(write)) problems.push(`${write} was never seen`);
  return problems;
}
