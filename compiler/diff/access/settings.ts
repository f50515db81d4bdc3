/** Changes of settings that give somebody an access, whatever the rules say: roles, accounts, administration, keys, caches. */
import type { Change } from "../../settings/change.ts";
import type { Gain } from "./gains.ts";

/** Checks of the catalogue, each with whom it lets do more. */
export const giving: Readonly<Record<string, string>> = {
  "signup-widened": "people who could not sign up may now, and then do what every user may",
  "default-role-added": "whoever signs up has the roles now, and may do what they allow",
  "role-administration-widened": "whoever has the role may administer more now, past the rules",
  "read-access-widened": "reading administrators see more now, past the rules",
  "networks-widened": "administrators may administer from there now",
  "organizations-added": "whoever the rule organizations.create allows may create organizations now",
  "organization-role-widened": "whoever has the role in an organization may manage more in it now",
  "creator-role-added": "whoever creates an organization has the roles in it now",
  "member-role-added": "every member of an organization has the roles now, and may do what they allow",
  "team-role-widened": "whoever has the role in a team may give more roles now",
  "member-addresses-widened": "more members see the addresses of others now",
  "members-shown-widened": "members of an organization see more of each other's profiles now",
  "require-mfa-disallowed": "sessions without a second factor count as those of members now",
  "invitations-sign-up-enabled":
    "whoever a member of an organization invites by mail may sign up now, and then do what every user may",
  "organization-removed": "documents of deleted organizations, which were out of reach, are there again",
  "organization-keys-enabled": "members who manage members may make keys of their organization now",
  "tokens-enabled": "users may make tokens that act as they do now",
  "token-ceiling-removed": "personal tokens may do all that their users may now",
  "token-scope-widened": "personal tokens may do more now",
  "openapi-widened": "more people may fetch the description of the API now",
  "cache-enabled": "shared caches may show anonymous callers what the read rule does not allow any longer",
  "function-scope-widened": "whoever may run the function reaches more through it now, past the rules",
  "function-mode-changed": "the function is run by others now",
  "trigger-added": "whoever writes there runs the function now",
  "trigger-events-added": "whoever writes there runs the function now",
  "when-widened": "whoever writes there runs the function for more changes now",
  "when-moved": "whoever writes there runs the function for other changes now",
};

/** How long caches may keep answers is a setting whose change may be either. */
const agedCache = "cache-age-changed";

/** @param aged collections, with their realms, that caches may keep answers of for longer now */
export function gainsBySettings(changes: readonly Change[], aged: ReadonlySet<string>): readonly Gain[] {
  return changes.flatMap(({ check, realm, where, message }): readonly Gain[] => {
    const place = where.split(" ")[0] ?? where;
    const witness =
      check === agedCache && aged.has(`${realm} ${place}`) ? giving["cache-enabled"] : giving[check];
    if (witness === undefined || !(check === agedCache || Object.hasOwn(giving, check))) return [];
    const isCache = check.startsWith("cache-");
    return [
      {
        kind: "given",
        realm,
        where,
        rows: isCache ? ["anonymous"] : [],
        ...(isCache ? { column: "read" } : {}),
        clauses: [`${where}: ${message}`],
        witness,
      },
    ];
  });
}
