import type { Step, StepName, UploadProgress } from "../../client/index.ts";
import { LiveLine } from "../terminal/live-line.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { bytes, milliseconds } from "./show.ts";

const labels: Record<StepName, string> = {
  upload: "Upload",
  unpack: "Unpack",
  validate: "Validate",
  build: "Build",
  start: "Start",
};

/** Shows the progress of a deployment: a line for each finished step with its time, and the current step below. */
export class DeployProgress {
  readonly #line: LiveLine;
  readonly #began = performance.now();

  constructor(private readonly terminal: Terminal) {
    this.#line = new LiveLine(terminal);
    this.#line.spin("Packing");
  }

  readonly onProgress = ({ sentBytes, totalBytes }: UploadProgress): void => {
    if (totalBytes === undefined) return;
    this.#line.bar(`Uploading ${bytes(sentBytes)} of ${bytes(totalBytes)}`, sentBytes, totalBytes);
  };

  readonly onStep = ({ name, status, startedOn, finishedOn }: Step): void => {
    if (status === "IN_PROGRESS") this.#line.spin(labels[name]);
    if (status !== "SUCCESS" && status !== "ERROR") return;
    this.#line.remove();
    const isFine = status === "SUCCESS";
    const mark = isFine ? this.terminal.noteStyle("green", "✓") : this.terminal.noteStyle("red", "✗");
    const duration = this.terminal.noteStyle("dim", durationOf(startedOn, finishedOn).padStart(8));
    this.terminal.note(`${mark} ${labels[name].padEnd(10)}${duration}`);
    if (isFine) this.#line.spin("Waiting");
  };

  /** Removes the live line. Returns the total duration. */
  end(): string {
    this.#line.remove();
    return milliseconds(performance.now() - this.#began);
  }
}

/** Measured by the server's clock, like the steps. */
function durationOf(startedOn: string | undefined, finishedOn: string | undefined): string {
  if (startedOn === undefined || finishedOn === undefined) return "";
  return milliseconds(Date.parse(finishedOn) - Date.parse(startedOn));
}
