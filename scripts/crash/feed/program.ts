// program.ts <SVC_STORE> <realm> <name>: writes to followed collections until it is killed, a line for each acknowledged
// write, and runs the consumer beside.
import { randomInt } from "node:crypto";
import type { DocumentWriter } from "../../../runtime/store/contract/collection.ts";
import { consume, followed, openStore } from "./setting.ts";

const [setting = "", realm = "", name = ""] = process.argv.slice(2);
const { store } = await openStore(setting, realm);
consume(store);

const LANES = 4;
/** Documents that a lane has at a time. */
const DOCUMENTS = 5;

/** Says what is durable; a pipe takes it at once. */
function acknowledge(collection: string, id: string, did: string): void {
  process.stdout.write(`${collection} ${id} ${did}\n`);
}

function documentOf(id: string, version: number, batch: string | null) {
  return { id, version, createdAt: 0, text: JSON.stringify({ id, batch }) };
}

/** One client, whose documents nobody else writes. */
async function write(lane: string): Promise<never> {
  const documents: { readonly id: string; readonly collection: string; version: number }[] = [];
  for (let serial = 0; ; serial++) {
    const [oldest] = documents;
    const one = documents[randomInt(Math.max(1, documents.length))];
    if (one === undefined || (documents.length < DOCUMENTS && randomInt(2) === 0)) {
      const collection = followed[serial % 2] ?? followed[0];
      const made = { id: `${lane}-${serial}`, collection, version: 1 };
      await store.collection(collection).insert(documentOf(made.id, 1, null));
      acknowledge(collection, made.id, "+1");
      documents.push(made);
    } else if (oldest !== undefined && randomInt(5) === 0) {
      await store.collection(oldest.collection).remove(oldest.id, oldest.version);
      acknowledge(oldest.collection, oldest.id, `-${oldest.version}`);
      documents.shift();
    } else if (randomInt(2) === 0) {
      await replace(store.collection(one.collection), one.id, one.version, null);
      one.version += 1;
      acknowledge(one.collection, one.id, `~${one.version}`);
    } else {
      const batch = `${lane}-${serial}`;
      await store.transaction(async (transaction) => {
        for (const { collection, id, version } of documents)
          await replace(transaction.collection(collection), id, version, batch);
      });
      for (const document of documents) {
        document.version += 1;
        acknowledge(document.collection, document.id, `~${document.version}`);
      }
    }
  }
}

async function replace(to: DocumentWriter, id: string, version: number, batch: string | null): Promise<void> {
  if (!(await to.replace(version, documentOf(id, version + 1, batch)))) throw new Error(`${id} is another's`);
}

await Promise.all(Array.from({ length: LANES }, (_, lane) => write(`${name}-${lane}`)));
