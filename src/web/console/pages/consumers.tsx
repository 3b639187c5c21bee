import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { FileUp, Plus, Users } from "lucide-react";
import { useState } from "react";
import { Tags } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { EmptyState, LoadError, Skeleton } from "../../components/notice.tsx";
import { type Column, Pager, Table } from "../../components/table.tsx";
import { RelativeTime } from "../../components/time.tsx";
import { formatSums } from "../../lib/format.ts";
import { tagFilterOf } from "../components/pairs.tsx";
import { SelectBox } from "../components/selection.tsx";
import { BucketSelect, defaultBucket, useChosenKeyBucket } from "../queries/buckets.tsx";
import { CustomerName } from "../queries/display-names.tsx";
import { useSession } from "../queries/session.tsx";
import { UsageBar, useCustomerUsage, usePayers } from "../queries/usage.tsx";
import { FilterBar } from "../shell/filter-bar.tsx";
import { PageHead } from "../shell/page.tsx";
import { AsCommand } from "../shell/requests.tsx";
import { ConsumersFromFile } from "./consumers/from-file.tsx";
import { NewConsumer } from "./consumers/new-consumer.tsx";
import { SelectionBar } from "./consumers/selection.tsx";
import { type ConsumerRow, type ConsumerSort, consumerSorts, useConsumerRows } from "./consumers/use-consumer-rows.ts";
import { consumerTable } from "./files/consumer-file.ts";
import { ExportFile } from "./files/export-file.tsx";
import { NewKeyBucket } from "./settings/new-key-bucket.tsx";

const route = getRouteApi("/frame/consumers");

export function ConsumersPage() {
  const { api, canEdit, deniedEdit } = useSession();
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/consumers" });
  const { buckets, names, bucket } = useChosenKeyBucket(search.bucket);
  const [isNewBucket, setNewBucket] = useState(false);
  const [isFromFile, setFromFile] = useState(false);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const page = search.page ?? 1;
  const filter = { managerEmail: search.manager, namePrefix: search.q, tag: tagOf(search.tag) };
  const conditions = {
    ...(search.manager ? { managerEmail: search.manager } : {}),
    ...(search.q ? { namePrefix: search.q } : {}),
    ...(filter.tag ? { tag: filter.tag } : {}),
  };
  const isFiltered = Boolean(search.q || search.manager || search.tag);
  const sort = isFiltered ? undefined : consumerSorts.find((each) => each === search.sort);
  const consumers = useConsumerRows({ bucket, page, sort, conditions });
  const onPage = consumers.data?.data.map(({ name }) => name);
  const payers = usePayers(onPage);
  const usage = useCustomerUsage(onPage);
  const set = (changes: Partial<typeof search>) =>
    navigate({ search: (old) => ({ ...old, page: undefined, ...changes }) as typeof old });
  const error = buckets.error ?? consumers.error;

  const shown = consumers.data?.data.flatMap(({ name, consumer }) => (consumer ? [name] : [])) ?? [];
  const chosen = shown.filter((name) => selected.has(name));
  const isWholePage = shown.length > 0 && chosen.length === shown.length;
  const toggle = (names: string[], isOn: boolean) => {
    const next = new Set(selected);
    for (const name of names) isOn ? next.add(name) : next.delete(name);
    setSelected(next);
  };
  const where = {
    ...(search.q ? { q: search.q } : {}),
    ...(search.manager ? { "manager-email": search.manager } : {}),
    ...Object.fromEntries(Object.entries(filter.tag ?? {}).map(([name, value]) => [`tag.${name}`, value])),
  };
  const selection: Column<ConsumerRow> = {
    label: "Select",
    head: (
      <SelectBox label="Select all on this page" checked={isWholePage} onChange={() => toggle(shown, !isWholePage)} />
    ),
    isSelect: true,
    render: ({ name, consumer }) =>
      consumer && (
        <SelectBox
          label={`Select ${name}`}
          checked={selected.has(name)}
          onChange={() => toggle([name], !selected.has(name))}
        />
      ),
  };
  const sortBy = (by: ConsumerSort): Column<ConsumerRow>["sort"] =>
    isFiltered
      ? undefined
      : {
          isActive: sort === by,
          direction: "descending",
          onToggle: () => set({ sort: sort === by ? undefined : by } as never),
        };
  const placeOf = ({ name, consumer, metering }: ConsumerRow) =>
    consumer || !metering
      ? ({ to: "/consumers/$bucket/$name", params: { bucket: bucket!, name } } as const)
      : ({ to: "/customers/$bucket/$key", params: { bucket: metering, key: name } } as const);
  const columns: Column<ConsumerRow>[] = [
    selection,
    {
      label: "Name",
      render: (row) => (
        <Link className="row-link" {...placeOf(row)}>
          <CustomerName
            name={row.name}
            displayName={row.consumer?.displayName}
            legalName={payers.data?.get(row.name)?.find(({ legalName }) => legalName)?.legalName}
          />
        </Link>
      ),
    },
    {
      label: "Plan",
      render: ({ name }) => {
        if (usage.isPending) return <Skeleton width={64} />;
        const held = usage.data?.get(name);
        return held
          ? held.flatMap(({ plans }) => plans.map(({ label }) => label)).join(", ")
          : usage.data && <span className="muted">None active</span>;
      },
    },
    {
      label: "Usage",
      isLead: true,
      sort: sortBy("usage"),
      render: ({ name }) => {
        if (usage.isPending) return <Skeleton width={48} />;
        const share = usage.data?.get(name)?.[0];
        return share ? <UsageBar usage={share} plans={share.plans} /> : usage.data && <span className="muted">–</span>;
      },
    },
    {
      label: "Amount due",
      isNumber: true,
      sort: sortBy("amountDue"),
      render: ({ name }) => {
        if (payers.isPending) return <Skeleton width={48} />;
        const due = payers.data?.get(name)?.flatMap(({ amountDue }) => amountDue ?? []);
        return payers.data && (formatSums(due ?? []) || <span className="muted">–</span>);
      },
    },
    {
      label: "Last request",
      sort: sortBy("lastRequest"),
      render: ({ consumer }) => <LastRequest keys={consumer?.apiKeys ?? []} />,
    },
    { label: "Keys", isNumber: true, isMinor: true, render: ({ consumer }) => consumer?.apiKeys?.length ?? 0 },
    { label: "Tags", isMinor: true, render: ({ consumer }) => <Tags tags={consumer?.tags} most={2} /> },
    {
      label: "Created",
      isMinor: true,
      render: ({ consumer }) => consumer && <RelativeTime time={consumer.createdOn} />,
    },
  ];

  return (
    <>
      <PageHead
        title="Consumers"
        actions={
          <>
            <AsCommand
              call={(api) =>
                api
                  .consumers(bucket ?? defaultBucket)
                  .list(sort === "lastRequest" ? { sort: "lastUsedOn" } : conditions)
                  .page()
              }
            />
            <ExportFile
              name={`consumers-${bucket ?? defaultBucket}.csv`}
              noun="consumer"
              load={() =>
                consumerTable(
                  api.consumers(bucket!).list({ ...conditions, includeManagers: true, includeManagerInvites: true }),
                )
              }
            />
            <Button icon={FileUp} denied={deniedEdit} onClick={() => setFromFile(true)}>
              From a file
            </Button>
            <Button icon={Plus} kind="primary" denied={deniedEdit} onClick={() => set({ new: true })}>
              New consumer
            </Button>
          </>
        }
      >
        <p>The callers of your API: customers, teams, programs. Each has its own keys.</p>
      </PageHead>
      <FilterBar
        start={
          <BucketSelect label="Key bucket" value={bucket} names={names} onChange={(name) => set({ bucket: name })} />
        }
        filters={[
          { label: "Name", placeholder: "Name begins with: ac", value: search.q, onChange: (q) => set({ q }) },
          { label: "Tag", placeholder: "plan=gold", value: search.tag, onChange: (tag) => set({ tag }) },
          {
            label: "Manager",
            placeholder: "ann@acme.example",
            value: search.manager,
            onChange: (manager) => set({ manager }),
          },
        ]}
        end={
          <Button kind="quiet" denied={deniedEdit} onClick={() => setNewBucket(true)}>
            New bucket
          </Button>
        }
      />
      {error ? (
        <LoadError error={error} onRetry={() => consumers.refetch()} />
      ) : consumers.data?.total === 0 ? (
        isFiltered ? (
          <EmptyState
            icon={Users}
            title="No consumer matches"
            action={
              <Button onClick={() => set({ q: undefined, tag: undefined, manager: undefined } as never)}>
                Clear filters
              </Button>
            }
          >
            Names match by their beginning, tags as name=value, managers by their full email address.
          </EmptyState>
        ) : (
          <EmptyState
            icon={Users}
            title="No consumers yet"
            guide="keys#consumers"
            action={
              <Button kind="primary" denied={deniedEdit} onClick={() => set({ new: true })}>
                Create the first consumer
              </Button>
            }
          >
            A consumer holds API keys. Quotas, limits and logs attribute its requests to its name.
          </EmptyState>
        )
      ) : (
        <>
          {bucket && (
            <SelectionBar
              key={JSON.stringify([bucket, where])}
              bucket={bucket}
              selected={chosen}
              matching={isFiltered && consumers.data ? { where, total: consumers.data.total } : undefined}
              onClear={() => setSelected(new Set())}
            />
          )}
          {consumers.data?.rankedOn && (
            <p className="muted">
              Sorted by usage as of <RelativeTime time={consumers.data.rankedOn} />
            </p>
          )}
          <Table
            caption="Consumers"
            columns={columns}
            rows={consumers.data?.data}
            keyOf={({ name }) => name}
            isSelected={({ name }) => selected.has(name)}
            onOpen={(row) => navigate(placeOf(row))}
          />
          <Pager
            page={page}
            total={consumers.data?.total}
            onPage={(next) => navigate({ search: (old) => ({ ...old, page: next }) })}
          />
        </>
      )}
      {search.new && canEdit && bucket && (
        <NewConsumer bucket={bucket} onClose={() => navigate({ search: ({ new: _, ...old }) => old })} />
      )}
      {isFromFile && bucket && <ConsumersFromFile bucket={bucket} onClose={() => setFromFile(false)} />}
      {isNewBucket && (
        <NewKeyBucket
          onClose={() => setNewBucket(false)}
          onCreated={(name) => {
            setNewBucket(false);
            set({ bucket: name });
          }}
        />
      )}
    </>
  );
}

/** The last use of any of its keys, at the gateway or by verify-key. */
function LastRequest({ keys }: { keys: { lastUsedOn?: string | null | undefined }[] }) {
  const last = keys
    .map(({ lastUsedOn }) => lastUsedOn)
    .filter((time) => typeof time === "string")
    .sort()
    .at(-1);
  return last ? <RelativeTime time={last} /> : <span className="muted">Never</span>;
}

function tagOf(text: string | undefined): Record<string, string> | undefined {
  const [name, value = ""] = tagFilterOf(text);
  return name ? { [name]: value } : undefined;
}
