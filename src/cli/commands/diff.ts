import { type Context, defineCommand } from "../arguments/command.ts";
import { applyPlanOptions, planFiles } from "../configuration-files/plan-files.ts";
import { applySummaryOf, planLink, showSteps } from "../configuration-files/show-apply-plan.ts";
import { findServer } from "../connection/connect.ts";
import { explain } from "../connection/explain.ts";
import { connectTo, remoteOptions } from "../connection/remote.ts";
import { exitCodes } from "../process/exit-codes.ts";

/** As in diff(1): 1 is a difference, so a failure is 2. */
const trouble = 2;

export const command = defineCommand({
  summary: "Show what an apply would change",
  details:
    "Changes nothing. The exit code is 0 without differences, 1 with differences and 2 after an error, as in diff(1).",
  arguments: {},
  options: { ...applyPlanOptions, ...remoteOptions },
  examples: [
    { command: "tollgate diff", text: "What tollgate.yaml would change." },
    { command: "tollgate diff --as shop --prune", text: "Including what it would delete." },
  ],
  async run({ json, file, as, prune, ...target }, context: Context) {
    try {
      const { url } = await findServer(target, context);
      const { plan } = await planFiles(await connectTo(target, context), { file, as, prune }, context);
      if (json) context.terminal.printJson(plan);
      else {
        showSteps(plan, context.terminal);
        if (plan.steps.length === 0) context.terminal.note("There are no differences.");
        else context.terminal.note(`${applySummaryOf(plan)}: ${planLink(url, plan)}`);
      }
      return plan.steps.length === 0 ? 0 : 1;
    } catch (error) {
      const code = explain(error, context, "diff");
      return code === exitCodes.failed ? trouble : code;
    }
  },
});
