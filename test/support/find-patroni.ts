import { Glob } from "bun";
import { findProgram } from "./find-program.ts";

export const patroniPackages = ["patroni", "etcd-server", "postgresql"];

/** Patroni with what it runs. PostgreSQL's folder is Debian's: that of the npm package lacks `pg_basebackup`. */
export function findPatroni() {
  const [rewind] = [...new Glob("/usr/lib/postgresql/*/bin/pg_rewind").scanSync("/")].sort().reverse();
  if (!rewind)
    throw new Error("The tests need Debian's PostgreSQL for Patroni, and found none (`apt-get install postgresql`).");
  return {
    patroni: findProgram("patroni"),
    etcd: findProgram("etcd", "etcd-server"),
    postgres: `/${rewind}`.replace("//", "/").replace("/pg_rewind", ""),
  };
}
