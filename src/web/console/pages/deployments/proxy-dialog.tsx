import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { proxyProject, type Tollgate, TollgateError } from "../../../../client/index.ts";
import { Button } from "../../../components/button.tsx";
import { Code } from "../../../components/copy.tsx";
import { Dialog, FormDialog } from "../../../components/dialog.tsx";
import { bindInput, Checkbox, optionsOf, SelectField, TextField } from "../../../components/field.tsx";
import { Notice } from "../../../components/notice.tsx";
import { errorAt } from "../../../lib/errors.ts";
import { command, shellWord } from "../../../lib/shell.ts";
import { defaultBucket, useChosenKeyBucket } from "../../queries/buckets.tsx";
import { consumersNamed } from "../../queries/display-names.tsx";
import { CopyAs, useCall } from "../../shell/requests.tsx";
import { useOverview } from "../home/use-overview.ts";
import { BuildView, DeployError, useDeploy } from "./deploy-dialog.tsx";
import { useGatewayPlan } from "./gateway-plan.tsx";
import { packTexts } from "./project-source.ts";

const branch = "main";
const readMs = 10_000;

/** Deploys a gateway that forwards every request to a URL, with a key and a plan of a consumer to try it. */
export function ProxyDialog({ onClose }: { onClose: () => void }) {
  const [url, setUrl] = useState("");
  const [preserveHost, setPreserveHost] = useState(false);
  const [named, setNamed] = useState<string>();
  const [namedConsumer, setConsumer] = useState<string>();
  const [chosenBucket, setBucket] = useState<string>();
  const [invalidUrl, setInvalidUrl] = useState<string>();
  const [done, setDone] = useState<FirstGateway>();
  const project = named ?? projectNameOf(url);
  const overview = useOverview().data;
  // In use, the oldest consumer is a customer.
  const first = overview?.firstSteps.hasTraffic ? undefined : overview?.firstSteps;
  const keyBuckets = useChosenKeyBucket(chosenBucket ?? first?.keyBucket);
  const bucket = keyBuckets.bucket ?? defaultBucket;
  const own = first?.keyBucket === bucket ? first.consumer : undefined;
  const consumer = namedConsumer ?? own ?? (project === "" ? "" : `${project}-first`);
  const plan = useGatewayPlan(overview && keyBuckets.bucket, consumer);
  const { deploy, build } = useDeploy(() => {});
  const create = useCall({
    call: async (api) => {
      await expectNewProject(api, project);
      // First, because the build needs the metering bucket.
      const quota = await plan.prepare();
      const archive = await packTexts(proxyProject({ title: project, upstream: url, preserveHost, bucket, quota }));
      const { url: address, name } = await deploy.mutateAsync({ archive, project, branch });
      const [key, warnings] = await Promise.all([keyOf(api, bucket, consumer), warningsOf(api, name, project)]);
      return { url: address, name, bucket, consumer, key, warnings, meter: quota?.meter };
    },
    onSuccess: setDone,
  });
  if (done) return <ProxyDone gateway={done} upstream={url} onClose={onClose} />;
  const submit = () => {
    const wrong = targetError(url);
    setInvalidUrl(wrong);
    if (wrong === undefined) create.mutate();
  };
  return (
    <FormDialog
      title="Put a gateway in front of a URL"
      isWide
      mutation={create}
      submit="Create gateway"
      disabled={url === "" || consumer === "" || project === "" || !plan.isReady}
      hasOwnError
      // The key is shown once.
      blocksClosing
      onClose={onClose}
      onSubmit={submit}
      footStart={
        <CopyAs
          call={(api) => api.deploy(new Uint8Array(), { project, branch })}
          uploads="project.tar.gz"
          command={[
            ...(plan.isNew && plan.limit
              ? [
                  ...(plan.limit.bucketId === undefined
                    ? [command("metering", "create", "--name", plan.limit.bucketName, "--key-bucket", bucket)]
                    : []),
                  command("plans", "create", "free", "--label", "Free", "--meter", "requests=1000"),
                ]
              : []),
            command(
              ...["init", project, "--proxy", url, ...(preserveHost ? ["--preserve-host"] : [])],
              ...(bucket === defaultBucket ? [] : ["--bucket", bucket]),
              ...(plan.limit ? ["--quota", plan.limit.meter, "--metering-bucket", plan.limit.bucketName] : []),
            ),
            command("deploy", project),
          ].join(" && ")}
        />
      }
    >
      <DeployError error={create.error} />
      <p className="muted">
        Every request needs a key, counts against a plan, and goes on to your API with its method, path and body.
        Nothing changes at your API.
      </p>
      <TextField
        label="URL of your API"
        isMono
        inputMode="url"
        placeholder="https://api.acme.example"
        value={url}
        error={invalidUrl}
        disabled={create.isPending}
        onChange={(event) => {
          setUrl(event.target.value.trim());
          setInvalidUrl(undefined);
        }}
      />
      <TextField
        label="Name"
        isMono
        placeholder="orders"
        hint="The name of the project, which becomes part of the gateway's address."
        disabled={create.isPending}
        {...bindInput(project, setNamed, errorAt(create.errors, "/projectName"))}
      />
      {(keyBuckets.names?.length ?? 0) > 1 && (
        <SelectField
          label="Key bucket"
          hint="Its keys open the gateway."
          disabled={create.isPending}
          options={optionsOf(keyBuckets.names!)}
          {...bindInput(bucket, setBucket)}
        />
      )}
      <TextField
        label="Consumer"
        isMono
        placeholder="acme"
        hint={
          consumer === own ? "Gets a key for the first request." : "Gets a key for the first request; it is created."
        }
        disabled={create.isPending}
        {...bindInput(consumer, setConsumer, errorAt(create.errors, "/name"))}
      />
      {plan.fields(create.isPending)}
      <Checkbox
        label="Send the client's Host header"
        hint="Your API gets the gateway's host instead of its own. Its certificate is still verified for its own host."
        checked={preserveHost}
        disabled={create.isPending}
        onChange={(event) => setPreserveHost(event.target.checked)}
      />
      <BuildView {...build} />
    </FormDialog>
  );
}

/** A second deployment of the project would replace the first one. */
async function expectNewProject(api: Tollgate, project: string): Promise<void> {
  const { total } = await api.deployments.listAll({ project, limit: 1 }).page();
  if (total === 0) return;
  const detail = "is the name of another project. Choose a new one; this would replace its gateway";
  throw new TollgateError({ status: 409, code: "conflict", detail, errors: [{ pointer: "/projectName", detail }] });
}

/** A key of the consumer, which is created unless it exists. */
async function keyOf(api: Tollgate, bucket: string, name: string): Promise<string> {
  const [known] = await consumersNamed(api, [name], AbortSignal.timeout(readMs), bucket);
  if (known) return (await api.keys(bucket, name).create({ description: "From the console" })).key!;
  const { apiKeys } = await api.consumers(bucket).create({ name }, { withApiKey: true });
  return apiKeys![0]!.key!;
}

/** An upstream that the egress rules reject is a warning of the build. */
async function warningsOf(api: Tollgate, name: string, project: string): Promise<string[]> {
  const { data } = await api.deployments.versions(name).page();
  const live = data.find(({ isActive }) => isActive);
  const status = live && (await api.deployments.status(project, live.statusId));
  return (status?.buildResult.warnings ?? []).map(({ message }) => message);
}

/** What is wrong with the URL of an API, as a sentence for its field. Undefined if a gateway can be put in front of it. */
function targetError(text: string): string | undefined {
  if (!URL.canParse(text)) return "must be a whole URL, such as https://api.acme.example";
  const { protocol, username, password, search, hash } = new URL(text);
  if (protocol !== "http:" && protocol !== "https:") return "must begin with https:// or http://";
  if (username !== "" || password !== "")
    return "must not contain a user name or password: keep them in a variable and set them by the policy headers";
  if (search !== "" || hash !== "") return "must not contain a query or a fragment: it is the start of every address";
  return undefined;
}

/** A project's name for the URL: the most specific label of its host. */
function projectNameOf(text: string): string {
  if (!URL.canParse(text)) return "";
  const { hostname } = new URL(text);
  const labels = hostname.split(".").filter((label) => !["www", "api", "com", "net", "org", "io"].includes(label));
  const isAddress = /^[\d.]+$|:/.test(hostname);
  const [label = ""] = isAddress ? ["my-api"] : labels;
  return label
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 40);
}

interface FirstGateway {
  name: string;
  url: string;
  bucket: string;
  consumer: string;
  /** What a request takes 1 of, if it counts against a plan. */
  meter: string | undefined;
  /** Shown once. */
  key: string;
  warnings: string[];
}

interface Props {
  gateway: FirstGateway;
  upstream: string;
  onClose: () => void;
}

/** The address of a new gateway, and a request that works. */
function ProxyDone({ gateway: { name, url, bucket, consumer, meter, key, warnings }, upstream, onClose }: Props) {
  return (
    <Dialog
      title="The gateway is live"
      isWide
      isStubborn
      onClose={onClose}
      foot={
        <>
          <Button onClick={onClose}>I have stored the key</Button>
          <Link
            className="button"
            data-kind="primary"
            to="/deployments/$name"
            params={{ name }}
            search={{ tab: "routes" }}
          >
            Show its routes
          </Link>
        </>
      }
    >
      {warnings.map((message) => (
        <Notice kind="warning" key={message}>
          {upstream}: {message}.
        </Notice>
      ))}
      <p>Its address:</p>
      <Code text={url} />
      <p>
        A request with a key of{" "}
        <Link to="/consumers/$bucket/$name" params={{ bucket, name: consumer }} search={{ tab: "usage" }}>
          {consumer}
        </Link>
        {meter && (
          <>
            , which takes 1 of <code>{meter}</code> from its plan
          </>
        )}
        . The key may not be shown again.
      </p>
      <Code text={`curl ${shellWord(`${url}/`)} -H ${shellWord(`Authorization: Bearer ${key}`)}`} />
      <p className="muted">
        Without a key the response is 401. Every request is on the page Requests, with the reason if it was rejected.
      </p>
    </Dialog>
  );
}
