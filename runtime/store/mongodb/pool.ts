import type { MongoClient } from "mongodb";
import type { PoolFigures } from "../pool-figures.ts";

/** Counts a client's connections, over all members, from its beginning on. */
export function watchPool(client: MongoClient): () => PoolFigures {
  const figures = { size: 0, checkedOut: 0, waiting: 0 };
  client.on("connectionCreated", () => {
    figures.size += 1;
  });
  client.on("connectionClosed", () => {
    figures.size -= 1;
  });
  client.on("connectionCheckOutStarted", () => {
    figures.waiting += 1;
  });
  client.on("connectionCheckOutFailed", () => {
    figures.waiting -= 1;
  });
  client.on("connectionCheckedOut", () => {
    figures.waiting -= 1;
    figures.checkedOut += 1;
  });
  client.on("connectionCheckedIn", () => {
    figures.checkedOut -= 1;
  });
  return () => ({ ...figures });
}
