import { expect, test } from "vitest";
import { definitionOf } from "../organizations/testing/realm.ts";
import type { CollectionDefinition } from "../realm/definition.ts";
import { realmCollections } from "./realm.ts";

const collection = (name: string, realtime?: true): CollectionDefinition => ({
  realm: "shop",
  database: "main",
  name,
  fields: {},
  indexes: [],
  validate: () => true,
  ...(realtime && { realtime }),
});

const recorded = (collections: readonly CollectionDefinition[]) =>
  Object.fromEntries(
    realmCollections(definitionOf(collections)).flatMap(({ name, feed }) => (feed ? [[name, feed]] : [])),
  );

test("where a collection is followed, its documents are recorded, and by ids alone what access depends on", () => {
  expect(recorded([collection("tickets", true), collection("notes")])).toEqual({
    "main.tickets": "documents",
    "_svc.users": "ids",
    "_svc.sessions": "ids",
    "_svc.keys": "ids",
    "_svc.config": "ids",
    "_svc.orgs": "ids",
    "_svc.members": "ids",
    "_svc.org_marks": "ids",
  });
});

test("where nothing is followed nothing is recorded", () => {
  expect(recorded([collection("tickets"), collection("notes")])).toEqual({});
});
