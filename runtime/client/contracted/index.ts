// Made of the contracts by scripts/contract/client.ts (UPDATE_GOLDEN=1). Do not edit.
export type {
  Account,
  AccountPatch,
  Invitation,
  LogIn,
  MadeInvitation,
  MadePersonalToken,
  NewAccount,
  NewInvitation,
  NewPersonalToken,
  PersonalToken,
  Session,
  SessionEntry,
  SignUp,
  User,
  UserOptions,
  UserPatch,
} from "./account-types.ts";
export { type Accounts, type AccountsOf, accounts } from "./accounts.ts";
export { type Administration, administration } from "./administration.ts";
export {
  type OrganizationAdministration,
  organizationAdministration,
} from "./organization-administration.ts";
export type {
  AdministeredOrganization,
  EffectiveRole,
  HeldRole,
  HeldTeamRole,
  InvitationLink,
  InvitationPreview,
  InvitingOrganization,
  MadeOrganizationInvitation,
  MadeOrganizationKey,
  Member,
  NewOrganization,
  NewOrganizationFor,
  NewOrganizationInvitation,
  NewOrganizationKey,
  Organization,
  OrganizationChange,
  OrganizationInvitation,
  OrganizationKey,
  OrganizationOptions,
  OwnedDocuments,
  OwnOrganization,
  Team,
  TeamMember,
  TeamMemberOptions,
  TeamRole,
} from "./organization-types.ts";
export { type Organizations, type OrganizationsOf, organizations } from "./organizations.ts";
export { type PeopleAdministration, peopleAdministration } from "./people-administration.ts";
export type { Teams } from "./teams.ts";
export type {
  AdministrationArea,
  ApiKey,
  AuditOptions,
  AuditRecord,
  EffectiveConfiguration,
  FunctionRun,
  Invocation,
  InvocationOptions,
  Job,
  JobOptions,
  MadeApiKey,
  NewApiKey,
  RealmFunction,
  RotatedApiKey,
  Secret,
  StoredScopes,
} from "./types.ts";
