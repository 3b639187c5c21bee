import type { Migration } from "../../../platform/storage/migrations/migration.ts";
import endedMails from "./ended-mails.sql" with { type: "text" };
import initial from "./initial.sql" with { type: "text" };
import mailSubjects from "./mail-subjects.sql" with { type: "text" };
import recurringFees from "./recurring-fees.sql" with { type: "text" };
import search from "./search.sql" with { type: "text" };
import simulatedOrder from "./simulated-order.sql" with { type: "text" };
import simulations from "./simulations.sql" with { type: "text" };

/**
 * Forward only, in order, each in a file that says what it does. A migration that was released is never edited: the
 * next one corrects it.
 */
export const migrations: Migration[] = [
  // What 0.1.0 contains.
  { name: "0001-initial", sql: initial },
  { name: "0002-simulations", sql: simulations },
  { name: "0003-recurring-fees", sql: recurringFees },
  { name: "0004-mail-subjects", sql: mailSubjects },
  { name: "0005-search", sql: search },
  { name: "0006-simulated-order", sql: simulatedOrder },
  { name: "0007-ended-mails", sql: endedMails },
];
