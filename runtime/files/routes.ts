import { patternOf, type RouteContract } from "../contract/contract.ts";
import { dataPath } from "../contract/document-administration.ts";
import { createWithFiles } from "../contract/file-form.ts";
import { openFileLink, sendFile } from "../contract/file-links.ts";
import { completeUpload, downloadFile, removeFile, startUpload, uploadFile } from "../contract/files.ts";
import {
  addToResumableUpload,
  cancelResumableUpload,
  getResumableUpload,
  startResumableUpload,
} from "../contract/resumable.ts";
import { administratorEntrance } from "../documents/administration/entrance.ts";
import { clientEntrance, type Open } from "../documents/entrance.ts";
import type { CollectionDefinition } from "../realm/definition.ts";
import type {
  Handler,
  Method,
  PathManners,
  RealmInstance,
  RouteFactory,
  RouteTable,
  StreamHandler,
  StreamRouteFactory,
} from "../realm/exchange.ts";
import { comesBy, type FileField } from "../realm/files.ts";
import { completeAt } from "./direct/complete.ts";
import { receiveUpload } from "./direct/receive.ts";
import { startAt } from "./direct/start.ts";
import { downloadFrom, downloading } from "./download.ts";
import { createByForm } from "./form-create.ts";
import { linkedFiles } from "./linked.ts";
import { type Place, placeIn } from "./place.ts";
import { removeFrom } from "./remove.ts";
import { appendTo } from "./resumable/append.ts";
import { cancelAt } from "./resumable/cancel.ts";
import { createAt } from "./resumable/create.ts";
import { lookAt } from "./resumable/look.ts";
import { capabilities, tusHeaders } from "./resumable/protocol.ts";
import { unknownField } from "./unknown-field.ts";
import { uploadTo } from "./upload.ts";

type Factory = RouteFactory | StreamRouteFactory;

/** What is done in a file field, by the route that asks for it. */
const served: readonly (readonly [RouteContract, (at: (realm: RealmInstance) => Place) => Factory])[] = [
  [uploadFile, streamed(uploadTo)],
  [startUpload, whole(startAt)],
  [completeUpload, whole(completeAt)],
  [startResumableUpload, streamed(createAt, resumable)],
  [getResumableUpload, whole(lookAt, resumable)],
  [addToResumableUpload, streamed(appendTo, resumable)],
  [cancelResumableUpload, whole(cancelAt, resumable)],
  [downloadFile, whole(downloadFrom)],
  [removeFile, whole(removeFrom)],
];

function plain(): PathManners {
  return { sent: `X-Svc-Filename, Content-Digest, ${downloading.sent}`, read: downloading.read };
}

function resumable({ field }: Place): PathManners {
  return { options: capabilities(field.maxSize), ...tusHeaders, overrides: true };
}

function streamed(make: (place: Place) => StreamHandler, manners: (place: Place) => PathManners = plain) {
  return (at: (realm: RealmInstance) => Place): StreamRouteFactory =>
    (realm) => {
      const place = at(realm);
      return {
        class: place.entrance.class,
        manners: manners(place),
        body: "stream",
        handle: make(place),
      };
    };
}

function whole(make: (place: Place) => Handler, manners: (place: Place) => PathManners = plain) {
  return (at: (realm: RealmInstance) => Place): RouteFactory =>
    (realm) => {
      const place = at(realm);
      return { class: place.entrance.class, manners: manners(place), handle: make(place) };
    };
}

/**
 * The routes of a realm's files (files.md, Routes): of clients, and of administrators past the rules.
 * @param collections all of the realm
 */
export function fileRoutes(realm: string, collections: readonly CollectionDefinition[]): RouteTable {
  const table: Record<string, Partial<Record<Method, Factory>>> = {};
  const ways = [
    [`/v1/${realm}`, clientEntrance],
    [`/v1/${realm}${dataPath}`, administratorEntrance],
  ] as const;
  for (const definition of collections) {
    const { files = [] } = definition;
    if (files.length === 0) continue;
    for (const [base, open] of ways) {
      for (const field of files) addRoutes(table, base, definition, field, open);
      addForm(table, base, definition, open);
      Object.assign(table, unknownFieldRoutes(base, definition, open));
    }
  }
  const links = patternOf(`/v1/${realm}`, openFileLink.path, {});
  const receives = collections.some(({ files = [] }) => files.some((field) => comesBy(field, "direct")));
  return {
    ...table,
    [links]: {
      [openFileLink.method]: linkedFiles(collections),
      ...(receives && { [sendFile.method]: receiveUpload }),
    },
  };
}

function addForm(
  table: Record<string, Partial<Record<Method, Factory>>>,
  base: string,
  definition: CollectionDefinition,
  open: Open,
): void {
  const { database, name: collection } = definition;
  const pattern = patternOf(base, createWithFiles.path, { database, collection });
  table[pattern] = { [createWithFiles.method]: createByForm(definition, open) };
}

function addRoutes(
  table: Record<string, Partial<Record<Method, Factory>>>,
  base: string,
  definition: CollectionDefinition,
  field: FileField,
  open: Open,
): void {
  const { database, name: collection } = definition;
  for (const [contract, route] of served) {
    const pattern = patternOf(base, contract.path, { database, collection, field: field.name });
    const factory = route((realm) => placeIn(realm, definition, field, open));
    table[pattern] = { ...table[pattern], [contract.method]: factory };
  }
}

/** At addresses of fields that are not declared. */
function unknownFieldRoutes(base: string, definition: CollectionDefinition, open: Open): RouteTable {
  const { database, name: collection } = definition;
  const absent = unknownField(definition, open);
  const pattern = patternOf(base, uploadFile.path, { database, collection });
  return { [pattern]: { absent }, [`${pattern}/:below`]: { absent } };
}
