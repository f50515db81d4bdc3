import { describe } from "vitest";
import { golden } from "./testing/diagnostics.ts";
import { ofOrganizations, organizations } from "./testing/realms.ts";

describe("organizations and teams", () => {
  const settings = { ofCollection: ofOrganizations, ofRealm: { organizations } };
  golden(
    "read",
    [
      ["inOrg(document._meta.org) && inTeam(document._meta.team)"],
      ["hasOrgRole(document._meta.org, 'owner', document.needed_role)"],
      ["orgClaims(document._meta.org)['max-size'] >= document.count"],
      ["orgClaims(user.profile.org).plan == 'pro' && orgClaims('o').limits.seats.length > 3"],
      ["(document.public ? orgClaims(document._meta.org).plan : 'free').includes('e')"],
      [
        "hasOrgRole(document._meta.org, ⟦'ownr'⟧)",
        "rule-unknown-role there is no organization role 'ownr' in realm.yaml (did you mean 'owner'?)",
      ],
      [
        "hasOrgRole(document._meta.org, ⟦'editor'⟧)",
        "rule-unknown-role there is no organization role 'editor' in realm.yaml (organization roles are 'clerk' or 'owner')",
      ],
      [
        "hasTeamRole(document._meta.team, 'lead', ⟦'owner'⟧)",
        "rule-unknown-role there is no team role 'owner' in realm.yaml (team roles are 'lead' or 'reviewer')",
      ],
      [
        "orgClaims(document._meta.org).plan.includes('a', ⟦'b'⟧)",
        "rule-type expected 1 arguments, but got 2",
      ],
      ["inOrg(document._meta.org, ⟦'b'⟧)", "rule-type expected 1 arguments, but got 2"],
      ["inOrg(⟦document.count⟧)", "rule-type a number is given where a string is wanted"],
      ["inOrg(⟦null⟧)", "rule-type inOrg() takes the id of an organization, not null"],
      ["inTeam(⟦document.due_at⟧)", "rule-type inTeam() takes the id of a team, not a date"],
      ["⟦inOrg⟧()", "rule-type expected 1 arguments, but got 0"],
      ["⟦hasOrgRole⟧(document._meta.org)", "rule-type expected at least 2 arguments, but got 1"],
      ["⟦inOrg⟧", "rule-construct inOrg without a call is not part of the rule language (write inOrg(…))"],
      [
        "⟦inOrgs⟧(document._meta.org)",
        "rule-unknown-name 'inOrgs' is not a name that rules know (did you mean 'inOrg'?)",
      ],
      [
        "⟦orgClaims(document._meta.org)⟧",
        "rule-not-boolean a rule must be true or false, but this is an object (say what it is compared with, for example != null)",
      ],
      [
        "⟦orgClaims(document._meta.org)⟧ == 'pro'",
        "rule-comparison objects cannot be compared (compare their members)",
      ],
      [
        "orgClaims(document._meta.org).seats ⟦+⟧ 1 > 3",
        "rule-construct the operator + is not part of the rule language",
      ],
      ["⟦orgClaims(document._meta.org)⟧.includes('pro')", "rule-type includes() is not for an object"],
      [
        "orgClaims(document._meta.org).plan.⟦toLowerCase⟧() == 'pro'",
        "rule-construct the method toLowerCase is not part of the rule language (methods are includes, startsWith and endsWith)",
      ],
      [
        "orgClaims(document._meta.org).plan.startsWith(⟦3⟧)",
        "rule-type startsWith() takes a string, not a number",
      ],
      [
        "orgClaims(document._meta.org).plan == ⟦document.tags⟧",
        "rule-comparison lists cannot be compared (use .includes(x) or .length)",
      ],
      ["⟦orgClaims(document._meta.org).beta < true⟧", "rule-comparison true and false have no order"],
      [
        "⟦orgClaims(document._meta.org).plan == orgClaims(document.org_id).plan⟧",
        "rule-not-filterable a read rule also filters lists, and this part cannot be a filter: comparing claims of two organizations of the document with each other",
      ],
      ["orgClaims(document._meta.org).title == (document.count > 3 ? document.title : document.status)"],
      [
        "⟦document.title == document.status⟧ && orgClaims(document._meta.org).plan == 'a'",
        "rule-not-filterable a read rule also filters lists, and this part cannot be a filter: comparing two values of the document with each other",
      ],
      [
        "!⟦inOrg(document._meta.org)⟧",
        "rule-absent-negation anonymous callers satisfy this rule only because every organization is absent for them here (add `user != null &&` before it, or `user == null ||` if anonymous callers are meant)",
      ],
      [
        "⟦orgClaims(document._meta.org).plan != 'pro'⟧",
        "rule-absent-negation anonymous callers satisfy this rule only because orgClaims(…).plan is absent for them here (add `user != null &&` before it, or `user == null ||` if anonymous callers are meant)",
      ],
    ],
    settings,
  );
  golden(
    "create",
    [
      ["hasOrgRole(data._meta.org, 'owner') || inTeam(data._meta.team)"],
      [
        "orgClaims(data._meta.org).used < orgClaims(data._meta.org).seats && data.title.length < orgClaims(data._meta.org).longest",
      ],
    ],
    settings,
  );
  golden("read", [
    [
      "⟦hasOrgRole⟧(document.title, 'owner')",
      "rule-no-organizations hasOrgRole needs organizations, and realm.yaml declares none (declare organizations with their roles in realm.yaml)",
    ],
  ]);
  golden("field write", [["document == null || inOrg(data._meta.org)"]], settings);
  golden(
    "read",
    [
      [
        "inTeam(document._meta.⟦team⟧)",
        "rule-unknown-field Property 'team' does not exist on document._meta (documents have it only with teams)",
      ],
      ["inOrg(document._meta.org)"],
    ],
    {
      ofCollection: { organization: { required: true, onDelete: "keep" } },
      ofRealm: { organizations },
    },
  );
  golden(
    "create",
    [
      [
        "inOrg(data.⟦_meta⟧.org)",
        "rule-unknown-field Property '_meta' does not exist on data (it is there only with organization)",
      ],
      [
        "hasTeamRole(data.title, ⟦'lead'⟧)",
        "rule-unknown-role there is no team role 'lead' in realm.yaml (realm.yaml declares no team roles)",
      ],
    ],
    { ofRealm: { organizations: { ...organizations, teamRoles: [] } } },
  );
});
