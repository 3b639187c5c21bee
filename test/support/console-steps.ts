import { afterAll, beforeAll, expect, test } from "bun:test";
import { type OpenConsole, openConsole, pageProblems } from "./console.ts";
import type { ServerOptions } from "./server.ts";
import { patienceMs, withErrors } from "./use-console.ts";

export { patienceMs } from "./use-console.ts";

/** The actions of a person at the console. */
export interface ConsoleSteps {
  /** Available once the tests run. */
  readonly console: OpenConsole;
  see(text: string | RegExp): Promise<void>;
  press(name: string | RegExp): Promise<void>;
  /** Presses a button of the open dialog. */
  pressInDialog(name: string | RegExp): Promise<void>;
  type(label: string | RegExp, text: string): Promise<void>;
  choose(label: string | RegExp, option: string): Promise<void>;
  openTab(name: string): Promise<void>;
  /** The text of each row of the list or table with that caption. */
  rows(caption: string): Promise<string[]>;
}

/** The console of the current test file. */
let opened: OpenConsole | undefined;

/** A console with its own server, signed in, for all tests of the file. */
export function useConsole(options?: ServerOptions): ConsoleSteps {
  let console: OpenConsole;
  beforeAll(async () => {
    console = await openConsole(options);
    opened = console;
    console.server.clock.set(new Date().toISOString());
    await console.signIn();
    await console.show("/settings");
  }, patienceMs);
  afterAll(() => console?.close(), patienceMs);
  return {
    get console() {
      return console;
    },
    see: (text) => console.page.getByText(text).filter({ visible: true }).first().waitFor(),
    press: (name) => console.page.getByRole("button", { name }).first().click(),
    pressInDialog: (name) => console.page.getByRole("dialog").getByRole("button", { name }).last().click(),
    type: (label, text) => console.page.getByLabel(label).first().fill(text),
    choose: async (label, option) => void (await console.page.getByLabel(label).first().selectOption(option)),
    openTab: (name) => console.page.getByRole("tab", { name }).click(),
    rows: (caption) => console.page.getByRole("table", { name: caption }).locator("tbody tr").allInnerTexts(),
  };
}

/** A test that fails when the page reports an error, violates its content security policy, or calls another server. */
export const check = (name: string, work: () => Promise<void>) =>
  test(name, () => withErrors(opened!, work), 3 * patienceMs);

/** Checks both themes on each page, and the width of a phone. Call it at the end of a file. */
export function checkPages(steps: ConsoleSteps, pages: () => string[]): void {
  check("every page is accessible in both themes, and fits a narrow window", async () => {
    const { console } = steps;
    const problems: Record<string, Record<string, string[]>> = {};
    for (const page of pages()) {
      await console.visit(page);
      problems[page] = await pageProblems(console.page);
    }
    expect(problems).toEqual(Object.fromEntries(pages().map((page) => [page, {}])));
  });
}
