/** Files that nothing leads to any longer. */
import { isJsonObject } from "../../../runtime/json.ts";
import { canonicalJson } from "../../source/meaning.ts";
import { counted, finding, verb } from "../finding.ts";
import type { Judge } from "../judge.ts";
import { type CollectionSides, spotOf } from "../sides.ts";

export function fileJudges(sides: CollectionSides): readonly Judge[] {
  const { old, now } = sides;
  const names = (now.collection.files ?? []).map(({ name }) => name);
  const gone = (old.collection.files ?? []).filter(({ name }) => !names.includes(name));
  const removed = gone.map(({ name }) =>
    filesJudge(sides, [name], `files.${name}`, (count) => {
      const have = verb(count, "has a file", "have files");
      return `${counted(count)} ${have} in ${name}, which is no file field any longer: no route leads to ${verb(count, "it", "them")}`;
    }),
  );
  const [before, after] = [old.realm.storage, now.realm.storage];
  const isElsewhere =
    before !== undefined &&
    after !== undefined &&
    canonicalJson({ ...before.driver }) !== canonicalJson({ ...after.driver });
  if (!isElsewhere || names.length === 0) return removed;
  const moved = filesJudge(
    sides,
    names,
    "files",
    (count) =>
      `files of ${counted(count)} lie where storage was before: realmc copy --files-from … --files-to … moves them`,
  );
  return [...removed, moved];
}

function filesJudge(
  sides: CollectionSides,
  names: readonly string[],
  part: string,
  message: (count: number) => string,
): Judge {
  return {
    looks: true,
    look({ id, document }, tallies) {
      if (names.some((name) => Object.hasOwn(document, name) && isJsonObject(document[name])))
        tallies.add(part, id);
    },
    findings(tallies) {
      const tally = tallies.of(part);
      if (tally.count === 0) return [];
      return [finding("files-orphaned", spotOf(sides, part), tally, message(tally.count))];
    },
  };
}
