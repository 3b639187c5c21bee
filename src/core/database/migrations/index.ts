import type { Migration } from "../../../platform/storage/migrations/migration.ts";
import { migrations0001 } from "./0001-0003.ts";
import { migrations0004 } from "./0004-0011.ts";
import { migrations0012 } from "./0012-0024.ts";
import { migrations0025 } from "./0025-0090.ts";
import { migrations0095 } from "./0095-0125.ts";
import { migrations0130 } from "./0130-0181.ts";
import { migrations0190 } from "./0190-0300.ts";
import { migrations0310 } from "./0310-0411.ts";
import { migrations0440 } from "./0440-0621.ts";

/** Forward only, in order. A migration that was released is never edited: the next one corrects it. */
export const migrations: Migration[] = [
  ...migrations0001,
  ...migrations0004,
  ...migrations0012,
  ...migrations0025,
  ...migrations0095,
  ...migrations0130,
  ...migrations0190,
  ...migrations0310,
  ...migrations0440,
];
