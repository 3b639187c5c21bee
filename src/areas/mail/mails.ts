import type { Paging } from "../../lib/paging.ts";
import type { Reads } from "../../platform/storage/storage.ts";
import * as store from "./store.ts";

export type { QueuedMail } from "./mail-queue.ts";

export const listMails = (reads: Reads, accountSeq: number, paging: Paging) =>
  store.listMails(reads, accountSeq, paging);
