import { afterAll, beforeAll, expect, test } from "bun:test";
import { accessibilityProblems, misfits, type OpenConsole, openConsole } from "./console.ts";
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
  test(name, () => withErrors(opened!, work), patienceMs);

/** Checks both themes on each page, and the width of a phone. Call it at the end of a file. */
export function checkPages(steps: ConsoleSteps, pages: () => string[]): void {
  test.each(["light", "dark"])(
    "every page is accessible in the %s theme",
    (theme) =>
      withErrors(steps.console, async () => {
        const { console } = steps;
        await console.page.evaluate(`localStorage.setItem("tollgate-theme", "${theme}")`);
        const problems: Record<string, string[]> = {};
        for (const page of pages()) {
          await console.show(page);
          const found = await accessibilityProblems(console.page);
          if (found.length > 0) problems[page] = found;
        }
        expect(problems).toEqual({});
      }),
    3 * patienceMs,
  );

  check("every page fits a narrow window", async () => {
    const { console } = steps;
    await console.page.setViewportSize({ width: 360, height: 780 });
    for (const page of pages()) {
      await console.show(page);
      expect({ page, misfits: await misfits(console.page) }).toEqual({ page, misfits: [] });
    }
    await console.page.setViewportSize({ width: 1280, height: 860 });
  });
}
