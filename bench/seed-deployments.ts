import { Database, type SQLQueryBindings } from "bun:sqlite";
import { hash } from "node:crypto";
import { newId } from "../src/lib/ids.ts";

type StoredRow = Record<string, SQLQueryBindings>;

/** A project's name as it stands in its deployment's name, its paths and its artifact. */
const originalProject = "seed-0000";

export interface SeededDeployment {
  readonly name: string;
  readonly project: string;
}

/**
 * Copies the only deployment of a stopped server's database under other names, because building them all would take
 * minutes. Each has its own paths, so that no two share memory.
 */
export function seedDeployments(file: string, name: string, count: number): SeededDeployment[] {
  const database = new Database(file);
  // Nothing here must survive a crash.
  database.run("PRAGMA synchronous = OFF");
  const deployment = rowOf(database, "deployments");
  const version = rowOf(database, "deployment_versions");
  const artifact = rowOf(database, "deployment_artifacts");
  const seeded: SeededDeployment[] = [{ name, project: originalProject }];
  database.run("BEGIN");
  for (let index = 1; index < count; index++) {
    const seq = Number(deployment.seq) + index;
    const versionSeq = Number(version.seq) + index;
    const project = `seed-${String(index).padStart(4, "0")}`;
    const newName = name.replace(originalProject, project);
    const data = String(artifact.data).replaceAll(originalProject, project);
    const artifactHash = hash("sha256", data, "hex");
    insert(database, "deployments", {
      ...deployment,
      seq,
      name: newName,
      project,
      active_version_seq: versionSeq,
      source_seq: null,
    });
    insert(database, "deployment_artifacts", { deployment_seq: seq, hash: artifactHash, data });
    insert(database, "deployment_versions", {
      ...version,
      seq: versionSeq,
      id: newId("vrsn", Number(version.created_on)),
      deployment_seq: seq,
      artifact_hash: artifactHash,
    });
    seeded.push({ name: newName, project });
  }
  database.run("COMMIT");
  database.close();
  return seeded;
}

function rowOf(database: Database, table: string): StoredRow {
  return database.query<StoredRow, []>(`SELECT * FROM ${table}`).get()!;
}

function insert(database: Database, table: string, row: StoredRow): void {
  const columns = Object.keys(row);
  const placeholders = columns.map(() => "?").join(", ");
  database.query(`INSERT INTO ${table} (${columns.join(", ")}) VALUES (${placeholders})`).run(...Object.values(row));
}
