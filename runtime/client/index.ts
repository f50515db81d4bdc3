/** `realmc/client`: what the clients of all realms are made of. Nothing here runs before it is called, so bundlers drop what is not used. */
export type {
  ChainMeta,
  DeletionMeta,
  DocumentMeta,
  FileObject,
  MergePatch,
  OrganizationMeta,
  OwnershipMeta,
  TeamMeta,
} from "../documents/shape.ts";
export {
  type BatchError,
  type Batching,
  batches,
  type DatabasesOf,
} from "./batch.ts";
export type { ProofOptions } from "./calls.ts";
export type { AnyErrorCode } from "./codes.ts";
export { administered, type Connected, connectTo } from "./connected.ts";
export type { ClientOptions, Fetch, OnceOptions } from "./connection.ts";
export * from "./contracted/index.ts";
export type { DocumentCheck } from "./document-checks.ts";
export {
  type AggregateError,
  type Collection,
  type CollectionOf,
  type CreateError,
  collection,
  type DeleteError,
  type GetError,
  type ListError,
  type WriteError,
} from "./documents.ts";
export type { Download, DownloadOptions } from "./downloads.ts";
export {
  ApiError,
  type ApiErrorOf,
  type ApiPromise,
  type CodeOf,
  ConnectionError,
  type ErrorDetail,
  isApiError,
  type Outcome,
  type OwnErrorCode,
  outcome,
} from "./errors.ts";
export type { Checked, Cut, Expandable, Expanded, Many, One, Partly } from "./expansion.ts";
export {
  type DownloadError,
  type FiledOf,
  type FiledShape,
  type FileError,
  type FileSource,
  type FilesOf,
  type FileTransfers,
  files,
  type UploadError,
  type UploadOptions,
} from "./files.ts";
export {
  type FollowedDatabases,
  type FollowedOf,
  type FollowedShape,
  type FollowedWhere,
  type Following,
  following,
  type LiveQuery,
} from "./following.ts";
export {
  type Callable,
  type CallError,
  type CallOptions,
  type CallShape,
  type CallsOf,
  callable,
  type FunctionJob,
  type JobError,
  JobFailed,
  type QueuedCall,
  type QueueError,
  type WaitOptions,
} from "./functions.ts";
export type { LiveChange } from "./held.ts";
export type { Live, LiveHandlers, LiveState, LiveStep } from "./live.ts";
export type { BatchOperation, BatchResults } from "./operations.ts";
export type {
  BelongingOptions,
  Page,
  Query,
  ReadOptions,
  UpdateOptions,
  WriteOptions,
} from "./options.ts";
export type { InvitingError, TeamRoleWindow } from "./organization-parts.ts";
export type { EntryPage, PageOptions } from "./pages.ts";
export type {
  AggregateOptions,
  ChainFields,
  Condition,
  DeletionFields,
  DocumentFields,
  Groups,
  IfTrait,
  NullCondition,
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
  KeyScopes,
  RealmTypes,
  RealmWithAccounts,
  RealmWithOrganizations,
  Shown,
} from "./realm.ts";
export type { RequestOptions } from "./request.ts";
export type {
  AdministrationError,
  Always,
  AnyBodyError,
  BodyError,
  MemberError,
} from "./route-errors.ts";
export { Streams } from "./streams.ts";
export type { Subscribed, SubscriptionHandlers } from "./subscribe.ts";
export type {
  Clock,
  RealtimeOptions,
  ResetReason,
  SessionEnd,
  SubscriptionEnd,
} from "./subscriptions.ts";
