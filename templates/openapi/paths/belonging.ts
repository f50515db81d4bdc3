import { changeErrors, searchErrors } from "../../../compiler/model/operation-errors.ts";
import type { JsonObject } from "../../../runtime/json.ts";
import type { Build, Operation, Paths } from "../build.ts";
import { closed } from "../schemas/common.ts";
import type { Ref } from "../schemas/pool.ts";
import type { Described } from "./described.ts";
import type { Way } from "./way.ts";
import { conditions, stored } from "./writes.ts";

/** Administrators' operations on what a collection's documents belong to; none where they belong to no organization. */
export function belongingPaths(build: Build, way: Way, described: Described): Paths {
  const { database, name, organization } = described.collection;
  if (organization === undefined) return {};
  const path = `${way.base}/${database}/${name}`;
  return {
    [`${path}/{id}/_transfer`]: build.path(["Id", ...way.parameters], {
      post: transfer(build, way, described),
    }),
    [`${path}/_assign_org`]: build.path(way.parameters, { post: assign(build, way, described) }),
  };
}

function transfer(build: Build, way: Way, { collection, schemas, stem, tag }: Described): Operation {
  const { required = false, teams } = collection.organization ?? {};
  const id = { type: required ? "string" : ["string", "null"] };
  const org: JsonObject = {
    ...id,
    description: required ? "Id of an organization that is not deleted." : "Id of one, or null for none.",
  };
  const team: JsonObject = {
    type: teams === "required" ? "string" : ["string", "null"],
    description: "Id of one of its teams. Who leaves an organization leaves the team.",
  };
  const members = teams === undefined ? { org } : { org, team };
  const schema = build.schemas.add(`${stem}Transfer`, closed(members, ["org"]));
  return build.operation({
    id: way.id(`transfer${stem}Document`),
    tag: way.tag(tag),
    summary: `Give a document of ${collection.name} to another organization`,
    about: "Its version is one more then. The audit record names both organizations.",
    parameters: conditions,
    body: { schema },
    answers: { 200: stored(schemas, stem) },
    errors: [...changeErrors(collection), ...(teams === "required" ? (["team_required"] as const) : [])],
    admits: way.admits("keys"),
  });
}

function assign(build: Build, way: Way, { collection, queries, stem, tag }: Described): Operation {
  const org: JsonObject = { type: "string", description: "Id of an organization that is not deleted." };
  const schema = build.schemas.add(`${stem}Assignment`, closed({ org, where: queries.conditions }));
  const answer = (name: string, members: JsonObject): Ref => build.schemas.share(name, () => closed(members));
  return build.operation({
    id: way.id(`assignOrgTo${stem}`),
    tag: way.tag(tag),
    summary: `Give an organization to documents of ${collection.name} that have none`,
    about: "Those that match, deleted ones too, in the background. No document changes its organization.",
    parameters: ["DryRun"],
    body: { schema },
    answers: {
      200: {
        name: "Assignable",
        description: "How many there are: with `dry_run=true`.",
        schema: answer("AssignableCount", { count: { type: "integer", minimum: 0 } }),
      },
      202: {
        name: "Assigning",
        description: "Queued.",
        schema: answer("QueuedJob", { job: { type: "string", description: "Id of the job." } }),
      },
    },
    errors: searchErrors(collection),
    admits: way.admits("keys"),
  });
}
