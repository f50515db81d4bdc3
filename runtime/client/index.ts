/** `realmc/client`: what the clients of all realms are made of. Nothing here runs before it is called, so bundlers drop what is not used. */
export type {
  DeletionMeta,
  DocumentMeta,
  MergePatch,
  OrganizationMeta,
  OwnershipMeta,
  TeamMeta,
} from "../documents/shape.ts";
export {
  type AccountsOf,
  accounts,
  type LogIn,
  type ProofOptions,
  type Session,
  type SessionEntry,
  type SignUp,
  type User,
  type UserPatch,
} from "./accounts.ts";
export {
  type Administration,
  type AdministrationArea,
  type AdministrationError,
  type ApiKey,
  type AuditOptions,
  type AuditRecord,
  administration,
  type DocumentCheck,
  type Job,
  type JobOptions,
  type KeyScopes,
  type NewApiKey,
  type Secret,
} from "./administration.ts";
export {
  type BatchError,
  type Batching,
  type BatchOperation,
  type BatchResults,
  batches,
  type DatabasesOf,
} from "./batch.ts";
export type { AnyErrorCode } from "./codes.ts";
export { administered, type Connected, connectTo } from "./connected.ts";
export type { ClientOptions, Fetch, OnceOptions, RequestOptions } from "./connection.ts";
export {
  type AggregateError,
  type Always,
  type AnyBodyError,
  type BodyError,
  type Collection,
  type CollectionOf,
  type CreateError,
  collection,
  type DeleteError,
  type GetError,
  type ListError,
  type WriteError,
} from "./documents.ts";
export {
  ApiError,
  type ApiErrorOf,
  type ApiPromise,
  type CodeOf,
  ConnectionError,
  type ErrorDetail,
  isApiError,
  type Outcome,
  outcome,
} from "./errors.ts";
export type { Checked, Cut, Expandable, Expanded, Many, One, Partly } from "./expansion.ts";
export {
  type FollowedDatabases,
  type FollowedOf,
  type FollowedShape,
  type FollowedWhere,
  type Following,
  following,
  type LiveQuery,
} from "./following.ts";
export type { LiveChange } from "./held.ts";
export type { Live, LiveHandlers, LiveState, LiveStep } from "./live.ts";
export type { EffectiveRole, Member, MemberError } from "./members.ts";
export type {
  BelongingOptions,
  Page,
  Query,
  ReadOptions,
  UpdateOptions,
  WriteOptions,
} from "./options.ts";
export {
  type AdministeredOrganization,
  type OrganizationAdministration,
  type OrganizationOptions,
  type OwnedDocuments,
  organizationAdministration,
} from "./organization-administration.ts";
export {
  type InvitationLink,
  type InvitationPreview,
  type InvitingError,
  type MadeOrganizationInvitation,
  type NewOrganization,
  type NewOrganizationInvitation,
  type Organization,
  type OrganizationInvitation,
  type Organizations,
  type OwnOrganization,
  organizations,
} from "./organizations.ts";
export type { EntryPage, PageOptions } from "./pages.ts";
export {
  type Account,
  type AccountPatch,
  type Invitation,
  type NewAccount,
  type NewInvitation,
  type PeopleAdministration,
  peopleAdministration,
  type UserOptions,
} from "./people.ts";
export type {
  AggregateOptions,
  Condition,
  DeletionFields,
  DocumentFields,
  Groups,
  IfTrait,
  OrderKey,
  OrganizationFields,
  OwnershipFields,
  Periods,
  PresenceCondition,
  Shape,
  TeamFields,
  TextCondition,
  Trait,
  Where,
} from "./queries.ts";
export type {
  AdministratorError,
  RealmTypes,
  RealmWithAccounts,
  RealmWithOrganizations,
} from "./realm.ts";
export { Streams } from "./streams.ts";
export type { Subscribed, SubscriptionHandlers } from "./subscribe.ts";
export type {
  Clock,
  RealtimeOptions,
  ResetReason,
  SessionEnd,
  SubscriptionEnd,
} from "./subscriptions.ts";
export type { Team, TeamMember, TeamMemberOptions, TeamRole, TeamRoleWindow, Teams } from "./teams.ts";
