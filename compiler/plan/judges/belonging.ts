/** What new settings of a collection ask of documents that are there already: an organization, a team, an id. */
import { isJsonObject, type JsonValue } from "../../../runtime/json.ts";
import { counted, finding, verb } from "../finding.ts";
import type { Judge } from "../judge.ts";
import { type CollectionSides, spotOf } from "../sides.ts";

export function organizationJudges(sides: CollectionSides): readonly Judge[] {
  const { old, now } = sides;
  const [before, after] = [old.collection.organization, now.collection.organization];
  const asks = (what: "organization" | "team"): boolean =>
    what === "organization"
      ? after?.required === true && before?.required !== true
      : after?.teams === "required" && before?.teams !== "required";
  return [
    ...(asks("organization")
      ? [lacking(sides, "organization", ({ org }) => org === undefined, "to no organization")]
      : []),
    ...(asks("team")
      ? [
          lacking(
            sides,
            "teams",
            ({ org, team }) => org !== undefined && team === undefined,
            "to an organization and to no team of it",
          ),
        ]
      : []),
  ];
}

function lacking(
  sides: CollectionSides,
  setting: "organization" | "teams",
  isLacking: (meta: Readonly<Record<string, JsonValue | undefined>>) => boolean,
  what: string,
): Judge {
  return {
    looks: true,
    look({ id, document: { _meta: meta } }, tallies) {
      const own = { org: meta["org"] ?? undefined, team: meta["team"] ?? undefined };
      if (isLacking(own)) tallies.add(setting, id);
    },
    findings(tallies) {
      const tally = tallies.of(setting);
      if (tally.count === 0) return [];
      const message = `${counted(tally.count)} ${verb(tally.count, "belongs", "belong")} ${what}, which is required now`;
      return [finding("organization-missing", spotOf(sides, setting), tally, message)];
    },
  };
}

const badId = "custom_id";

/** Where the collection asks something of ids that it did not ask. */
export function customIdJudges(sides: CollectionSides): readonly Judge[] {
  const { old, now } = sides;
  const [before, after] = [old.collection.customId, now.collection.customId];
  if (after === undefined || (after.is === undefined && after.pattern === undefined)) return [];
  if (before?.is === after.is && before?.pattern === after.pattern) return [];
  const pattern = after.pattern === undefined ? undefined : new RegExp(after.pattern, "u");
  const judge: Judge = {
    looks: true,
    look(seen, tallies) {
      const { id } = seen;
      const reasons: { path: string; reason: string }[] = [];
      if (pattern?.test(id) === false)
        reasons.push({ path: "id", reason: `must match the pattern ${after.pattern}` });
      if (after.is === "user" && creatorOf(seen.document._meta) !== id)
        reasons.push({ path: "id", reason: "must be that of the user who created the document" });
      if (reasons.length > 0) tallies.add(badId, id, reasons);
    },
    findings(tallies) {
      const tally = tallies.of(badId);
      if (tally.count === 0) return [];
      const message = `${counted(tally.count)} ${verb(tally.count, "has", "have")} an id that could not be chosen any longer: ${tally.reasons.map(({ reason }) => reason).join(", ")}`;
      const details = tally.reasons.map((reason) => ({ ...reason }));
      return [finding("custom-id-unfit", spotOf(sides, "custom_id"), tally, message, { details })];
    },
  };
  return [judge];
}

function creatorOf(meta: JsonValue): string | undefined {
  const by = isJsonObject(meta) ? meta["created_by"] : undefined;
  return typeof by === "string" ? by.replace(/^user:/, "") : undefined;
}
