import { Link } from "@tanstack/react-router";
import { Check } from "lucide-react";
import { useState } from "react";
import { curlOf, type ExampleRequest } from "../../../../lib/text/curl.ts";
import { Button } from "../../../components/button.tsx";
import { Code } from "../../../components/copy.tsx";
import { Tabs } from "../../../components/tabs.tsx";
import { command } from "../../../lib/shell.ts";
import { defaultBucket } from "../../queries/buckets.tsx";
import { useSession } from "../../queries/session.tsx";
import { type Overview, useExampleRequest } from "./use-overview.ts";

interface Step {
  title: string;
  text: string;
  command: string;
  action: { label: string; to: string; search?: { new?: true; customer?: string; proxy?: "new" }; isOpen?: boolean };
  isDone: boolean;
}

/** Four steps, each with a command to copy and a button. The commands use existing names. */
export function Checklist({ steps }: { steps: Overview["firstSteps"] }) {
  const { deniedEdit } = useSession();
  const example = useExampleRequest(steps.hasDeployment);
  return (
    <>
      <div className="stack stack-tight first-command">
        <p className="muted">The commands below need the command line to know this server, once:</p>
        <Code text={command("login", window.location.origin)} />
      </div>
      <ol className="steps">
        {stepsOf(steps, example).map(({ title, text, command: line, action, isDone }, index) => (
          <li className="step card" key={title} data-done={isDone || undefined}>
            <span className="step-mark">
              {isDone ? <Check size={14} aria-label="Done" /> : <span aria-hidden>{index + 1}</span>}
            </span>
            <div>
              <h2>{title}</h2>
              <p className="muted">{text}</p>
              {!isDone && <Code text={line} />}
            </div>
            {!isDone &&
              (deniedEdit && !action.isOpen ? (
                <Button denied={deniedEdit}>{action.label}</Button>
              ) : (
                <Link className="button" to={action.to} search={action.search}>
                  {action.label}
                </Link>
              ))}
          </li>
        ))}
      </ol>
      <ProtectApi />
      {!steps.consumer && !steps.hasDeployment && (
        <div className="stack stack-tight first-command">
          <p className="muted">
            Or look around first, in a server of its own that is full of a shipping API's business:
          </p>
          <Code text={command("demo", "--data-dir", "./demo", "--serve")} />
        </div>
      )}
    </>
  );
}

function stepsOf(
  {
    consumer,
    keyBucket = defaultBucket,
    planExternalId: plan,
    hasSubscription,
    hasDeployment,
    hasTraffic,
  }: Overview["firstSteps"],
  example: ExampleRequest | undefined,
): Step[] {
  const customer = consumer ?? "acme";
  return [
    {
      title: "Create a consumer with a key",
      text: "A consumer is a caller of your API and has its own keys.",
      command: command("consumers", "create", "acme", "--with-key"),
      action: { label: "Create consumer", to: "/consumers", search: { new: true } },
      isDone: consumer !== undefined,
    },
    {
      title: "Subscribe it to a plan",
      text: "A plan limits usage per month; a subscription applies it to a consumer.",
      command: [
        ...(plan === undefined
          ? [
              command("metering", "create", "--name", "main", "--key-bucket", keyBucket),
              command("plans", "create", "price_gold", "--label", "Gold", "--meter", "requests=1000"),
            ]
          : []),
        command("subscriptions", "create", customer, "--plan", plan ?? "price_gold"),
      ].join(" && \\\n  "),
      action:
        plan === undefined
          ? { label: "Create plan", to: "/plans", search: { new: true } }
          : { label: `Subscribe ${customer}`, to: "/subscriptions", search: { new: true, customer } },
      isDone: hasSubscription,
    },
    {
      title: "Deploy a gateway in front of your service",
      text: "All it takes is the URL of your API. Requests count against the plan of their consumer.",
      command: [
        command("init", "my-gateway", "--proxy", "https://api.example.com", "--quota", "requests"),
        command("deploy", "my-gateway"),
      ].join(" && \\\n  "),
      action: { label: "Put it in front of a URL", to: "/deployments", search: { proxy: "new" } },
      isDone: hasDeployment,
    },
    {
      title: "Send the first request",
      text: hasDeployment
        ? "With the consumer's key in KEY, to the address of the deployment."
        : "To the address of the deployment, which is shown here as soon as there is one.",
      command: example ? curlOf(example, "$KEY") : command("deployments", "list"),
      action: { label: "Show deployments", to: "/deployments", isOpen: true },
      isDone: hasTraffic,
    },
  ];
}

/** How an API verifies the keys of its callers without the gateway, in the languages that have middleware. */
export function ProtectApi() {
  const [language, setLanguage] = useState("Express");
  const tabs = Object.entries(snippets(window.location.origin)).map(([name, code]) => ({
    value: name,
    label: name,
    content: () => <Code text={code} />,
  }));
  return (
    <section className="card stack stack-tight first-command" aria-labelledby="protect-api">
      <h2 id="protect-api">Protect your own API</h2>
      <p className="muted">
        Without the gateway: middleware in your program verifies the key of each request. This prints its
        TOLLGATE_TOKEN, which can do nothing else:
      </p>
      <Code text={command("tokens", "create", "--role", "verifier", "--value")} />
      <Tabs tabs={tabs} value={language} onChange={setLanguage} />
    </section>
  );
}

/** In parts, because a test rejects text that looks as if the page read the environment. */
const nodeToken = ["process", "env", "TOLLGATE_TOKEN"].join(".");

const pythonOptions = (url: string) => `    url="${url}",
    token=os.environ["TOLLGATE_TOKEN"],
    bucket="${defaultBucket}",`;

/** A test compares them with the programs of docs/sell-your-api.md, which run. */
const snippets = (url: string): Record<string, string> => ({
  Express: `import { tollgate } from "@tollgate/client/express";

app.use(tollgate({ url: "${url}", token: ${nodeToken}, bucket: "${defaultBucket}" }));`,
  FastAPI: `import os

from tollgate.asgi import TollgateMiddleware

app.add_middleware(
    TollgateMiddleware,
${pythonOptions(url)}
)`,
  Flask: `import os

from tollgate.wsgi import TollgateMiddleware

app.wsgi_app = TollgateMiddleware(
    app.wsgi_app,
${pythonOptions(url)}
)`,
  Django: `import os

MIDDLEWARE = ["tollgate.django.TollgateMiddleware"]
TOLLGATE = {
    "url": "${url}",
    "token": os.environ["TOLLGATE_TOKEN"],
    "bucket": "${defaultBucket}",
}`,
  Go: `import tollgate "example.com/tollgate/clients/go"

client, err := tollgate.New("${url}", os.Getenv("TOLLGATE_TOKEN"))
if err != nil {
	log.Fatal(err)
}
guard := client.Middleware(tollgate.MiddlewareOptions{
	Bucket: "${defaultBucket}",
})
log.Fatal(http.ListenAndServe("127.0.0.1:3001", guard(http.DefaultServeMux)))`,
});
