import type { DeploymentLogSink, LogEntry } from "./log-sink.ts";

/** A function that replaces secrets in texts about a deployment; undefined where there is nothing to replace. */
export type RedactorOf = (deploymentSeq: number) => ((text: string) => string) | undefined;

/** Keeps the secrets of deployments out of what is logged about them. */
export class RedactedLogs implements DeploymentLogSink {
  constructor(
    private readonly logs: DeploymentLogSink,
    private readonly redactorOf: RedactorOf,
  ) {}

  add(deploymentSeq: number, entry: LogEntry): void {
    const redact = this.redactorOf(deploymentSeq);
    this.logs.add(deploymentSeq, redact ? { ...entry, message: redact(entry.message) } : entry);
  }
}
