import { BodyReader, invalid } from "../../auth/input.ts";
import { conditionOf } from "../../http/etag.ts";
import type { JsonObject } from "../../json.ts";
import type { CollectionDefinition } from "../../realm/definition.ts";
import type { Answer, Received, RouteFactory } from "../../realm/exchange.ts";
import { requireWrite } from "../access.ts";
import { collectionOf } from "../collection.ts";
import { ownMembers } from "../draft.ts";
import { receiveFrom } from "../entrance.ts";
import { type Belonging, belongingOf, nowhere, type Place, teamRequired } from "../organizations.ts";
import { writeQuery } from "../query/writes.ts";
import { type Existing, modifyExisting } from "../writes/existing.ts";
import { rewritten } from "../writes/update.ts";
import { Writer } from "../writes/writer.ts";
import { administratorEntrance, noSuchOrganization } from "./entrance.ts";

/** The body of a transfer. */
interface Transfer {
  /** Null: none. */
  readonly org: string | null;
  /** Undefined: whichever it has, as long as it stays in its organization. */
  readonly team: string | null | undefined;
}

/**
 * `POST /v1/{realm}/_admin/data/{database}/{collection}/{id}/_transfer`: gives a live document to another organization, to
 * none, or to a team (spec: Administrator routes). Its members stay as they are.
 */
export function transferDocument(definition: CollectionDefinition): RouteFactory {
  return (realm) => {
    const collection = collectionOf(realm, definition);
    const entrance = administratorEntrance(realm, [definition]);
    const writer = new Writer(realm, collection);
    return {
      class: entrance.class,
      async handle(exchange): Promise<Answer> {
        const asked = await entrance.writer(exchange);
        requireWrite(definition, asked, undefined);
        writeQuery(exchange.search);
        const { received, access } = await receiveFrom(entrance, asked, exchange);
        const transfer = readTransfer(received, definition);
        const condition = conditionOf(exchange.headers);
        const { org, team } = transfer;
        const to = org === null ? nowhere : await entrance.place(access, { org, team: team ?? undefined });
        const target = { id: exchange.params["id"] ?? "", visibility: "live", condition } as const;
        const moved = (found: Existing) => {
          const before = belongingOf(found.meta);
          const after = transferred(definition, before, transfer, to);
          const details = { from: naming(before), to: naming(after) };
          return { ...rewritten(collection, access, found, ownMembers(found.document), after), details };
        };
        const stored = await writer.alone(access, "transfer", async (documents) => {
          const done = await modifyExisting(collection, access, documents, target, moved);
          return done && { ...done.document, details: done.details };
        });
        const { text, tag } = collection.view(access, stored);
        return { status: 200, body: text, headers: { etag: tag } };
      },
    };
  };
}

/** @throws ApiError `validation_error` */
function readTransfer(exchange: Received, { organization }: CollectionDefinition): Transfer {
  const body = new BodyReader(exchange, "application/json");
  const org = body.value("org");
  const team = organization?.teams === undefined ? undefined : body.optionalString("team");
  if (org === undefined) body.problem("org", "is required");
  else if (org !== null && typeof org !== "string") body.problem("org", "must be a string or null");
  else if (org === null && organization?.required === true) {
    body.problem("org", "must be an organization: documents here need one");
  } else if (org === null && typeof team === "string") {
    body.problem("team", "must be null: a team is one of an organization");
  }
  body.finish();
  return { org: typeof org === "string" ? org : null, team };
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
    throw invalid([{ path: "team", reason: "must be a team of the organization" }]);
  return { org, team };
}

/** As the audit trail names it. */
function naming({ org, team }: Belonging): JsonObject {
  return { org: org ?? null, ...(team !== undefined && { team }) };
}
