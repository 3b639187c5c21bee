import type { DeploymentLogSink, LogEntry } from "./log-sink.ts";

/**
 * Returns a function that replaces secrets in texts about a deployment, or undefined if there is nothing to replace.
 */
export type RedactorOf = (deploymentSeq: number) => ((text: string) => string) | undefined;

/** Redacts the secrets of deployments in their logs. */
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
