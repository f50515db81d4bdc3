/** One request to a collection, taken through the server's own checks in their order: what refuses it, or what allows it. */
import { type Access, nothing, readable, requireWrite } from "../../runtime/documents/access.ts";
import { refuseId, requestedId } from "../../runtime/documents/custom-id.ts";
import { draftOf, ownMembers } from "../../runtime/documents/draft.ts";
import { notFound } from "../../runtime/documents/errors.ts";
import { FieldRules } from "../../runtime/documents/field-rules.ts";
import { fileParts, schemaMembers } from "../../runtime/documents/files/members.ts";
import { belongingIn, type Place } from "../../runtime/documents/organizations.ts";
import { scopeWithin } from "../../runtime/documents/reads.ts";
import { viewer } from "../../runtime/documents/view.ts";
import { dataOfCreate, requireCreate } from "../../runtime/documents/writes/create.ts";
import { type Existing, existing } from "../../runtime/documents/writes/existing.ts";
import { requireRemoval } from "../../runtime/documents/writes/remove.ts";
import {
  type Change,
  dataOfUpdate,
  membersAfter,
  requireUpdate,
} from "../../runtime/documents/writes/update.ts";
import { ApiError } from "../../runtime/errors.ts";
import { faultless } from "../../runtime/http/body.ts";
import { isJsonObject, type JsonObject } from "../../runtime/json.ts";
import { ownOrganization } from "../../runtime/realm/caller.ts";
import type { CollectionDefinition } from "../../runtime/realm/definition.ts";
import { type RefusedRule, ruleThatRefused } from "../../runtime/realm/refused.ts";
import { requireValid } from "../../runtime/validation/details.ts";

/** What somebody asks for. Documents are as they are stored, with `id` and `_meta`. */
export type Request =
  | { readonly operation: "read" | "delete" | "restore" | "purge"; readonly document: JsonObject }
  | {
      readonly operation: "update";
      readonly document: JsonObject;
      /** PATCH or PUT. */
      readonly change: Change;
      readonly data: JsonObject;
      /** `?org=`. */
      readonly org?: string | undefined;
    }
  | {
      readonly operation: "create";
      readonly data: JsonObject;
      readonly org?: string | undefined;
      readonly team?: string | undefined;
    };

export type Outcome =
  /** `by`: what the rule that decides was asked about; undefined where no rule is asked. */
  | {
      readonly decision: "allow";
      readonly status: number;
      readonly by: RefusedRule | undefined;
      /** Paths of fields that the caller does not see in the document as it is stored. */
      readonly hidden: readonly string[];
    }
  | { readonly decision: "deny"; readonly error: ApiError; readonly by: RefusedRule | undefined };

const statuses = { read: 200, create: 201, update: 200, delete: 204, purge: 204, restore: 200 } as const;

/** @param access without `audit`, which nothing is written for */
export function attempt(definition: CollectionDefinition, access: Access, request: Request): Outcome {
  const { realm, database, name } = definition;
  const { context } = access;
  const { operation } = request;
  try {
    const asked = askedOf(definition, access, request);
    const rule = `rules.${operation}`;
    return {
      decision: "allow",
      status: statuses[operation],
      by: context && { realm, of: `${database}/${name}`, rule, context, ...asked },
      hidden:
        context === undefined || operation === "create"
          ? []
          : new FieldRules(definition).hidden(context, asked.document).map((path) => path.join(".")),
    };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { decision: "deny", error, by: ruleThatRefused(error) };
  }
}

/** What the rule of the operation is asked about. */
type Asked = Pick<RefusedRule, "document" | "data">;

/** @throws ApiError where the request is refused */
function askedOf(definition: CollectionDefinition, access: Access, request: Request): Asked {
  const { operation } = request;
  switch (operation) {
    case "create":
      return created(definition, access, request);
    case "update":
      return updated(definition, access, request);
    case "read": {
      const read = readable(definition, access, definition.rules?.read);
      scopeWithin(definition, access, read, isDeleted(request.document) ? "include" : undefined);
      return { document: found(definition, access, request.document, "any").document, data: nothing };
    }
    case "restore": {
      requireWrite(definition, access, operation);
      const { document } = found(definition, access, request.document, "deleted");
      requireValid(definition, schemaMembers(definition, structuredClone(ownMembers(document))), []);
      return { document, data: nothing };
    }
    case "delete":
    case "purge": {
      requireWrite(definition, access, operation);
      const state = operation === "delete" ? "live" : "any";
      const target = found(definition, access, request.document, state);
      requireRemoval(definition, access, target, operation);
      return { document: target.document, data: nothing };
    }
  }
}

function created(
  definition: CollectionDefinition,
  access: Access,
  { data: body, org, team }: Extract<Request, { readonly operation: "create" }>,
): Asked {
  const { customId } = definition;
  const draft = draftOf(structuredClone(body), faultless);
  const id = customId === undefined ? refuseId(draft.id) : requestedId(customId, draft.id, access);
  requireWrite(definition, access, "create");
  const belonging = belongingIn(definition, placeOf(access, org, team));
  const sent = schemaMembers(definition, draft.members);
  const members = definition.withDefaults?.(sent) ?? sent;
  requireValid(definition, members, []);
  requireCreate(judging(definition), access, { members, sent }, id, belonging);
  return { document: nothing, data: dataOfCreate(definition, members, id, belonging) };
}

/** As the collections' own routes have it. */
function placeOf({ caller, context }: Access, named: string | undefined, team: string | undefined): Place {
  const own = ownOrganization(caller);
  const org = named ?? own;
  const teams = org === undefined ? undefined : context?.memberships.get(org)?.teams;
  return { org: named, team, teams, ...(own !== undefined && { own }) };
}

function updated(
  definition: CollectionDefinition,
  access: Access,
  { document, change, data: body, org }: Extract<Request, { readonly operation: "update" }>,
): Asked {
  requireWrite(definition, access, "update");
  const target = found(definition, access, document, "live");
  const draft = draftOf(structuredClone(body), faultless, org);
  const sent = { ...draft, members: schemaMembers(definition, draft.members) };
  const judged = judging(definition);
  const members = membersAfter(judged, access, target, sent, change);
  requireUpdate(judged, access, target, sent.members, members);
  return { document: target.document, data: dataOfUpdate(definition, target, members) };
}

/**
 * The document, where the caller may know of it.
 * @throws ApiError `not_found`
 */
function found(
  definition: CollectionDefinition,
  access: Access,
  document: JsonObject,
  state: "live" | "deleted" | "any",
): Existing {
  const { id = "", _meta } = document;
  const { version = 1 } = isJsonObject(_meta) ? _meta : {};
  if (state !== "any" && isDeleted(document) !== (state === "deleted")) throw notFound();
  const stored = { id: String(id), version: Number(version), text: JSON.stringify(document) };
  return existing({ definition, view: viewer(definition) }, access, stored, { condition: undefined });
}

function isDeleted({ _meta }: JsonObject): boolean {
  return isJsonObject(_meta) && typeof _meta["deleted_at"] === "string";
}

function judging(definition: CollectionDefinition) {
  const { fieldRules, files } = definition;
  return {
    definition,
    fieldRules: fieldRules === undefined ? undefined : new FieldRules(definition),
    files: files && fileParts(files),
  };
}
