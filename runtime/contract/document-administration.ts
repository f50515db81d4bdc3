/** api-decisions: Administrator routes about the documents of a collection, beside those that clients have. */
import { contract, type RouteContract } from "./contract.ts";
import { changeErrors, searchErrors } from "./document-errors.ts";
import { importDocuments } from "./document-import.ts";
import { conditions, type RouteOfRules, stored } from "./documents.ts";
import { errorDetail } from "./errors.ts";
import { closed, named } from "./schema.ts";
import { type CollectionTraits, ofCollection } from "./traits.ts";

/** Before the paths of clients' routes in those of administrators. */
export const dataPath = "/_admin/data";

export const dataTag = "administration of documents";
const tag = dataTag;

const sees = { kind: "administrator", area: "data", to: "see" } as const;
const changes = { ...sees, to: "change" } as const;

const path = `${dataPath}/{database}/{collection}` as const;

const count = { type: "integer", minimum: 0 } as const;

export const checkDocuments = contract({
  id: "adminDataCheck{stem}",
  method: "POST",
  path: `${path}/_check`,
  who: sees,
  answers: {
    200: {
      name: "Checked",
      description: "What was found.",
      schema: named(
        "DocumentCheck",
        closed({
          checked: count,
          invalid: count,
          documents: {
            type: "array",
            description: "The first 100 that do not fit.",
            maxItems: 100,
            items: closed({ id: { type: "string" }, details: { type: "array", items: errorDetail } }),
          },
        }),
      ),
    },
  },
  tag,
  summary: "Find documents of {collection} that do not fit the schema",
  about: "Deleted ones too. One check at a time in a realm.",
});

/** Of what documents belong to, where they belong to organizations. */
const of = ({ organization }: CollectionTraits): boolean => organization !== undefined;

const orNull = { type: ["string", "null"] } as const;
const teamsOnly = { when: ofCollection(({ organization }) => organization?.teams !== undefined) };

export const transferDocument = contract({
  id: "adminDataTransfer{stem}Document",
  method: "POST",
  path: `${path}/{id}/_transfer`,
  who: changes,
  headers: conditions,
  body: {
    schema: named("Transfer", closed({ org: orNull, team: { ...orNull, ...teamsOnly } }, ["org"])),
    shown: named(
      "{stem}Transfer",
      ofCollection(({ organization: { required, teams } = { required: false } }) =>
        closed(
          {
            org: required
              ? { type: "string", description: "Id of an organization that is not deleted." }
              : { ...orNull, description: "Id of one, or null for none." },
            team: {
              type: teams === "required" ? "string" : orNull.type,
              description: "Id of one of its teams. Who leaves an organization leaves the team.",
              ...teamsOnly,
            },
          },
          ["org"],
        ),
      ),
    ),
    media: "json",
  },
  answers: { 200: stored },
  errors: ofCollection((collection) => [
    ...changeErrors(collection),
    ...(collection.organization?.teams === "required" ? (["team_required"] as const) : []),
  ]),
  tag,
  summary: "Give a document of {collection} to another organization",
  about: "Its version is one more then. The audit record names both organizations.",
  of,
});

export const assignDocuments = contract({
  id: "adminDataAssignOrgTo{stem}",
  method: "POST",
  path: `${path}/_assign_org`,
  who: changes,
  query: ["DryRun"],
  body: {
    schema: named(
      "{stem}Assignment",
      closed({
        org: { type: "string", description: "Id of an organization that is not deleted." },
        where: { type: "object", made: "Where" },
      }),
    ),
    media: "json",
  },
  answers: {
    200: {
      name: "Assignable",
      description: "How many there are: with `dry_run=true`.",
      schema: named("AssignableCount", closed({ count })),
    },
    202: {
      name: "Assigning",
      description: "Queued.",
      schema: named("QueuedJob", closed({ job: { type: "string", description: "Id of the job." } })),
    },
  },
  errors: ofCollection(searchErrors),
  tag,
  summary: "Give an organization to documents of {collection} that have none",
  about: "Those that match, deleted ones too, in the background. No document changes its organization.",
  of,
});

/** A route of clients on the way of administrators, past the access rules. */
export function administered(route: RouteOfRules): RouteContract {
  const { to, makes } = route.who;
  return {
    ...route,
    id: `adminData${route.id.charAt(0).toUpperCase()}${route.id.slice(1)}`,
    path: `${dataPath}${route.path}`,
    who: { kind: "administrator", area: "data", to, ...(makes && { makes }) },
    tag,
  };
}

/** Of each collection, beside those of clients, by the name of what serves them. */
export const documentAdministration = {
  checkDocuments,
  importDocuments,
  transferDocument,
  assignDocuments,
} as const;
