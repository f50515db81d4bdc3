import { isGeneratedId } from "../../../ids.ts";
import { collections, uniqueIndexes } from "../../../organizations/collections.ts";
import { readOrganization, type TeamRecord, writeOrganization } from "../../../organizations/records.ts";
import { isOrganizationRole } from "../../../organizations/roles.ts";
import type { OrganizationSettings } from "../../../realm/organizations.ts";
import { alternatives } from "../../../suggest.ts";
import { anyId, checked, type Fields, flag, generatedId, object, strings, time, word } from "./fields.ts";
import type { RecordForm, RecordKind } from "./kind.ts";

/** Organizations with their teams; neither deleted ones nor invitations. */
export const organizationKind: RecordKind = {
  asked: "organizations",
  path: "_organizations",
  collection: collections.organizations,
  taken: "an organization with this id exists",
  clashes: { [uniqueIndexes.slug]: "slug: another organization has it" },
  action: "org.import",
  of: ({ accounts }) => accounts?.organizations && formOf(accounts.organizations),
};

function formOf(settings: OrganizationSettings): RecordForm {
  return {
    shown(stored) {
      const { record } = readOrganization(stored);
      const {
        id,
        name,
        slug,
        status,
        require_mfa,
        allow_keys = false,
        claims,
        created_at,
        created_by,
      } = record;
      if (status === "deleted") return undefined;
      const teams = record.teams.map((team) => ({
        id: team.id,
        name: team.name,
        roles: heldOf(settings, team.roles),
      }));
      return { id, name, slug, status, require_mfa, allow_keys, claims, teams, created_at, created_by };
    },
    idIn: ({ id }) => id,
    isGenerated: true,
    fits: isGeneratedId,
    made(fields, id, now, found) {
      const before = found && readOrganization(found);
      if (before?.record.status === "deleted")
        fields.tell("id", "is of an organization that is deleted here");
      const slug = fields.required("slug", checked("slug"), "");
      const erased = before?.record.erased_at;
      const record = {
        id,
        name: fields.required("name", checked("name"), ""),
        slug,
        slug_key: slug,
        status: fields.optional("status", word(["active", "orphaned"]), "active"),
        require_mfa: fields.optional("require_mfa", flag, false),
        allow_keys: fields.optional("allow_keys", flag, false),
        claims: fields.optional("claims", object, {}),
        teams: teamsIn(fields, settings),
        created_at: fields.optional("created_at", time, before?.record.created_at ?? now),
        created_by: fields.required("created_by", anyId, ""),
        deleted_at: null,
        cleanup: null,
        ...(erased !== undefined && { erased_at: erased }),
      };
      return { document: writeOrganization(record, (before?.version ?? 0) + 1) };
    },
  };
}

function teamsIn(fields: Fields, settings: OrganizationSettings): readonly TeamRecord[] {
  const teams = fields.each("teams", (team) => ({
    id: team.required("id", generatedId, ""),
    name: team.required("name", checked("teamName"), ""),
    roles: organizationRolesIn(team, settings),
  }));
  if (new Set(teams.map(({ id }) => id)).size < teams.length)
    fields.tell("teams", "must have ids of their own");
  if (new Set(teams.map(({ name }) => name)).size < teams.length)
    fields.tell("teams", "must have names of their own");
  if (teams.length > settings.maxTeamsPerOrg)
    fields.tell("teams", `must be ${settings.maxTeamsPerOrg} at most`);
  return teams;
}

/** What the configuration no longer has counts for nothing. */
export function heldOf(settings: OrganizationSettings, roles: readonly string[]): string[] {
  return roles.filter((role) => isOrganizationRole(settings, role));
}

export function organizationRolesIn(fields: Fields, settings: OrganizationSettings): readonly string[] {
  const roles = fields.optional("roles", strings, []);
  for (const role of roles.filter((each) => !isOrganizationRole(settings, each)))
    fields.tell(
      "roles",
      `names ${JSON.stringify(role)}, and roles of organizations are ${alternatives(settings.roles.map(({ name }) => name))}`,
    );
  return [...new Set(roles)];
}
