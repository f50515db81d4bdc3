/** What a thread runs: bundled to `function-worker.mjs`. */
import process from "node:process";
import { parentPort, workerData } from "node:worker_threads";
import type { ThreadData } from "../messages.ts";
import { WorkerThread } from "./thread.ts";

if (parentPort === null) throw new Error("this module is run by the threads of functions");
const data: ThreadData = workerData;
const thread = new WorkerThread(parentPort, data);
process.on("uncaughtException", (error) => thread.uncaught(error));
process.on("unhandledRejection", (error) => thread.uncaught(error));
