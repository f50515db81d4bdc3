/** What a rehearsal found, as text for people and as JSON for tools. */

import { lineOf } from "../../runtime/instance/verify/findings.ts";
import { visible } from "../diagnostics/visible.ts";
import { counted } from "./finding.ts";
import type { Difference, Rehearsal, RehearsedCollection, RehearsedRealm } from "./rehearsal.ts";

/** Reasons that are told in text. */
const TOLD = 10;

/** A line for each collection that has migrations, with its reasons and ids; for each realm; for what `verify` found; and whether all agree. */
export function renderRehearsal({ seconds, realms, verify, differences }: Rehearsal): string {
  const { count, findings, seconds: verifying } = verify;
  const found = count === 0 ? "nothing is wrong" : counted(count, "finding");
  return [
    ...realms.flatMap(realmLines),
    `rehearsed verify: ${found}, ${verifying} s`,
    ...findings.map((finding) => `  ${visible(lineOf(finding))}`),
    ...(count > findings.length ? [`  … ${count - findings.length} more`] : []),
    ...differences.map(differenceLine),
    `rehearsed in ${seconds} s: ${differences.length === 0 ? "as planned" : counted(differences.length, "difference")}`,
  ].join("\n");
}

function realmLines({ realm, seconds, bytes, collections, stopped }: RehearsedRealm): readonly string[] {
  return [
    ...collections.flatMap((each) => collectionLines(realm, each)),
    ...(stopped === undefined ? [] : [`rehearsed ${realm}: migrations stopped: ${visible(stopped)}`]),
    `rehearsed ${realm}: ${seconds} s, database ${bytes.before} bytes before, ${bytes.after} after`,
  ];
}

function collectionLines(
  realm: string,
  { collection, migrations, written, refused, reasons, failed }: RehearsedCollection,
): readonly string[] {
  const ids = failed.map(({ id }) => id).join(" ");
  return [
    `rehearsed ${realm} ${collection} ${migrations.join(", ")}: ${counted(written)} migrated, ${refused} refused`,
    ...reasons.slice(0, TOLD).map(({ reason, count }) => `  ${visible(reason)} (${count})`),
    ...(reasons.length > TOLD ? [`  … ${reasons.length - TOLD} more reasons`] : []),
    ...(ids === "" ? [] : [`  ${ids}${failed.length < refused ? " …" : ""}`]),
  ];
}

function differenceLine({ realm, where, kind, message }: Difference): string {
  const place = [realm, where].filter((part) => part !== "").join(" ");
  return `differs ${place === "" ? "" : `${place}: `}${visible(message)} (${kind})`;
}

/** As {@link Rehearsal}, but for what `verify` looked at. */
export function rehearsalJson({ seconds, realms, verify, differences }: Rehearsal) {
  const { realms: _, ...found } = verify;
  return { seconds, agrees: differences.length === 0, differences, realms, verify: found };
}
