import type { DeploymentLogSink, LogEntry } from "./live.ts";

/** A function that replaces secrets in texts about a deployment; undefined where there is nothing to replace. */
export type RedactorOf = (deploymentSeq: number) => ((text: string) => string) | undefined;

/** Keeps the secrets of deployments out of what is logged about them. */
export class RedactedLogs implements DeploymentLogSink {
  constructor(
    private readonly logs: DeploymentLogSink,
    private readonly redactorOf: RedactorOf,
  ) {}

  takesAccess(deploymentSeq: number): boolean {
    return this.logs.takesAccess(deploymentSeq);
  }

  add(deploymentSeq: number, entry: LogEntry): void {
    const redact = this.redactorOf(deploymentSeq);
    if (!redact) {
      this.logs.add(deploymentSeq, entry);
      return;
    }
    const path = entry.path === undefined ? undefined : { path: redact(entry.path) };
    this.logs.add(deploymentSeq, { ...entry, ...path, message: redact(entry.message) });
  }
}
