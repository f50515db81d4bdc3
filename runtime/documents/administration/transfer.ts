import { transferDocument as contract } from "../../contract/document-administration.ts";
import { traitsOf } from "../../contract/traits.ts";
import { invalidBody } from "../../errors.ts";
import { type BodyOf, bodyReader, type Judge } from "../../http/contract-body.ts";
import { conditionOf } from "../../http/etag.ts";
import type { JsonObject } from "../../json.ts";
import type { CollectionDefinition } from "../../realm/definition.ts";
import type { Answer } from "../../realm/exchange.ts";
import { requireWrite } from "../access.ts";
import { ownMembers } from "../draft.ts";
import { type Belonging, belongingOf, nowhere, type Place, teamRequired } from "../organizations.ts";
import { writeQuery } from "../query/writes.ts";
import { collectionRoute } from "../route.ts";
import { written } from "../view.ts";
import { type Existing, modifyExisting } from "../writes/existing.ts";
import { rewritten } from "../writes/update.ts";
import { Writer } from "../writes/writer.ts";
import { administratorEntrance, noSuchOrganization } from "./entrance.ts";

type Transfer = BodyOf<typeof contract>;

/**
 * Gives a live document to another organization, to none, or to a team (spec: Administrator routes). Its members stay as they
 * are.
 */
export const transferDocument = collectionRoute(
  contract,
  ({ realm, definition, collection, entrance, enter, receive }) => {
    const query = writeQuery(contract, realm, [definition]);
    const read = bodyReader(contract, traitsOf(realm.definition, [definition]));
    const judge = judgeTransfer(definition);
    const writer = new Writer(realm, collection);
    return async (exchange): Promise<Answer> => {
      const asked = await enter(exchange);
      requireWrite(definition, asked, undefined);
      query(exchange.search);
      const { received, access } = await receive(asked, exchange);
      const transfer = read(received)(judge);
      const condition = conditionOf(exchange.headers);
      const { org, team } = transfer;
      const to = org === null ? nowhere : await entrance.place(access, { org, team: team ?? undefined });
      const target = { id: exchange.params["id"] ?? "", visibility: "live", condition } as const;
      const moved = (found: Existing) => {
        const before = belongingOf(found.meta);
        const after = transferred(definition, before, transfer, to);
        const details = { from: naming(before), to: naming(after) };
        return {
          ...rewritten(collection, access, found, ownMembers(found.document), { belonging: after }),
          details,
        };
      };
      const stored = await writer.alone(access, "transfer", async (documents) => {
        const done = await modifyExisting(collection, access, documents, target, moved);
        return done && { ...done.document, details: done.details };
      });
      return written(collection.view(access, stored));
    };
  },
  administratorEntrance,
);

/** Beside their types. */
function judgeTransfer({ organization }: CollectionDefinition): Judge<Transfer> {
  return ({ org, team }, tell) => {
    if (org === null && organization?.required === true)
      tell("org", "must be an organization: documents here need one");
    else if (org === null && typeof team === "string")
      tell("team", "must be null: a team is one of an organization");
  };
}

/**
 * Who leaves an organization leaves its team (spec: Administrator routes).
 * @throws ApiError `validation_error` | `team_required`
 */
function transferred(
  { organization }: CollectionDefinition,
  before: Belonging,
  { org, team: named }: Transfer,
  { teams }: Place,
): Belonging {
  if (org === null) return {};
  if (teams === undefined) throw noSuchOrganization();
  const stays = org === before.org;
  const team = named === undefined && stays ? before.team : (named ?? undefined);
  if (team === undefined) {
    if (organization?.teams === "required") throw teamRequired();
    return { org };
  }
  // The one that it has may be deleted since: it keeps it (api-decisions, Organizations).
  const isKept = stays && team === before.team;
  if (!isKept && !teams.has(team))
    throw invalidBody([{ path: "team", reason: "must be a team of the organization" }]);
  return { org, team };
}

/** As the audit trail names it. */
function naming({ org, team }: Belonging): JsonObject {
  return { org: org ?? null, ...(team !== undefined && { team }) };
}
