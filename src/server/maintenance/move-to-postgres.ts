import { migrations } from "../../core/database/migrations/index.ts";
import { type MoveOptions, type MoveResult, moveToPostgres as move } from "../../platform/storage/move/move.ts";

/** Moves an installation from SQLite to an empty PostgreSQL database. */
export function moveToPostgres(options: Omit<MoveOptions, "migrations">): Promise<MoveResult> {
  return move({ ...options, migrations });
}
