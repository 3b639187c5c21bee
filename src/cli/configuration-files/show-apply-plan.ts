import type { ConfigurationPlan, ConfigurationStep } from "../../client/index.ts";
import { counted, printable } from "../output/show.ts";
import type { Style, Terminal } from "../terminal/terminal.ts";

const marks: Record<ConfigurationStep["action"], [mark: string, style: Style]> = {
  create: ["+", "green"],
  update: ["~", "yellow"],
  delete: ["-", "red"],
};

const maxCustomers = 10;

/** One block per step: what changes, and what else there is to know. */
export function showSteps({ steps }: ConfigurationPlan, terminal: Terminal): void {
  for (const step of steps) {
    const [mark, style] = marks[step.action];
    terminal.print(terminal.style(style, `${mark} ${step.kind} ${printable(placeOf(step))}`));
    for (const line of changedFields(step)) terminal.print(`    ${printable(line)}`);
    for (const note of notesOf(step)) terminal.print(`    ${terminal.style("dim", `(${printable(note)})`)}`);
  }
}

/** `2 to create, 1 to update` */
export function applySummaryOf({ steps }: ConfigurationPlan): string {
  const counts = (["create", "update", "delete"] as const).map(
    (action) => [steps.filter((step) => step.action === action).length, action] as const,
  );
  return counts
    .filter(([count]) => count > 0)
    .map(([count, action]) => `${count} to ${action}`)
    .join(", ");
}

/** The page of the console that shows the plan. */
export function planLink(url: string, { planId }: ConfigurationPlan): string {
  return `${url}/console/configuration/${planId}`;
}

function placeOf({ parent, name }: ConfigurationStep): string {
  return parent === undefined ? name : `${parent} ${name}`;
}

function changedFields({ action, before = {}, after = {} }: ConfigurationStep): string[] {
  if (action === "delete") return [];
  const old = leavesOf(before);
  const now = leavesOf(after);
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((path) => {
    const [from, to] = [old.get(path), now.get(path)];
    if (from === to) return [];
    if (action === "create") return [`${path}: ${to}`];
    return [`${path}: ${from ?? "(none)"} → ${to ?? "(none)"}`];
  });
}

/** `meters.requests.max` → `1000` */
function leavesOf(value: unknown, path = ""): Map<string, string> {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return new Map([[path, JSON.stringify(value)]]);
  const members = Object.entries(value);
  if (members.length === 0 && path !== "") return new Map([[path, "{}"]]);
  return new Map(members.flatMap(([name, member]) => [...leavesOf(member, path === "" ? name : `${path}.${name}`)]));
}

function notesOf({ notes = [], affectedSubscriptions: affected }: ConfigurationStep): string[] {
  if (!affected) return notes;
  const customers = affected.data.slice(0, maxCustomers).map(({ customerKey }) => customerKey);
  const more = affected.total > customers.length ? ", …" : "";
  return [...notes, `Lower limits for ${counted(affected.total, "subscription")}: ${customers.join(", ")}${more}`];
}
