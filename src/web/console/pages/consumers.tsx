import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { FileUp, Plus, Tag, Trash2, Users } from "lucide-react";
import { useState } from "react";
import { Tags } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Checkbox } from "../../components/field.tsx";
import { EmptyState, Skeleton } from "../../components/notice.tsx";
import { type Column, List } from "../../components/table.tsx";
import { DayTime, RelativeTime } from "../../components/time.tsx";
import { formatSums } from "../../lib/format.ts";
import { tagFilterOf } from "../components/pairs.tsx";
import { SelectionBar, selectColumn, useSelection } from "../components/selection.tsx";
import { BucketSelect, defaultBucket, useChosenKeyBucket } from "../queries/buckets.tsx";
import { CustomerName } from "../queries/display-names.tsx";
import { useSession } from "../queries/session.tsx";
import { UsageBar, useCustomerUsage, usePayers } from "../queries/usage.tsx";
import { FilterBar } from "../shell/filter-bar.tsx";
import { PageHead } from "../shell/page.tsx";
import { AsCommand } from "../shell/requests.tsx";
import { ManyConsumers } from "./consumers/many-consumers.tsx";
import { NewConsumer } from "./consumers/new-consumer.tsx";
import { type ConsumerRow, type ConsumerSort, consumerSorts, useConsumerRows } from "./consumers/use-consumer-rows.ts";
import { consumerFile, consumerTable } from "./files/consumer-file.ts";
import { ExportFile } from "./files/export-file.tsx";
import { ImportFile } from "./files/import-file.tsx";
import { NewKeyBucket } from "./settings/new-key-bucket.tsx";

const route = getRouteApi("/frame/consumers");

export function ConsumersPage() {
  const { api, canEdit, deniedEdit } = useSession();
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/consumers" });
  const { buckets, names, bucket } = useChosenKeyBucket(search.bucket);
  const [isNewBucket, setNewBucket] = useState(false);
  const [isFromFile, setFromFile] = useState(false);
  const [bulk, setBulk] = useState<"tag" | "delete">();
  const page = search.page ?? 1;
  const conditions = { managerEmail: search.manager, namePrefix: search.q, tag: tagOf(search.tag) };
  const isFiltered = Object.values(conditions).some((value) => value !== undefined);
  const sort = isFiltered ? undefined : consumerSorts.find((each) => each === search.sort);
  const consumers = useConsumerRows({ bucket, page, sort, conditions });
  const onPage = consumers.data?.data.map(({ name }) => name);
  const payers = usePayers(onPage);
  const usage = useCustomerUsage(onPage);
  const set = (changes: Partial<typeof search>) =>
    navigate({ search: (old) => ({ ...old, page: undefined, ...changes }) as typeof old });
  const where = {
    ...(search.q && { q: search.q }),
    ...(search.manager && { "manager-email": search.manager }),
    ...Object.fromEntries(Object.entries(conditions.tag ?? {}).map(([name, value]) => [`tag.${name}`, value])),
  };
  const selection = useSelection(JSON.stringify([bucket, where]));
  const shown = consumers.data?.data.flatMap(({ name, consumer }) => (consumer ? [name] : [])) ?? [];
  // Those of other pages are not meant.
  const chosen = shown.filter((name) => selection.ids.has(name));
  const total = consumers.data?.total ?? 0;
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
    selectColumn(selection, {
      all: "Select all on this page",
      page: shown,
      of: ({ name, consumer }) => consumer && { id: name, label: `Select ${name}` },
    }),
    {
      label: "Name",
      isText: "wide",
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
      render: ({ consumer }) => consumer && <DayTime time={consumer.createdOn} />,
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
      <List
        caption="Consumers"
        of={consumers}
        error={buckets.error}
        columns={columns}
        keyOf={({ name }) => name}
        isSelected={({ name }) => selection.has(name)}
        onOpen={(row) => navigate(placeOf(row))}
        page={page}
        onPage={(next) => navigate({ search: (old) => ({ ...old, page: next }) })}
        above={
          <>
            <SelectionBar
              selection={selection}
              noun="consumer"
              count={chosen.length}
              total={total}
              canSelectAll={isFiltered && total > chosen.length}
            >
              <Button isSmall denied={deniedEdit} onClick={() => setBulk("tag")}>
                <Tag size={14} aria-hidden />
                Change tags…
              </Button>
              <Button isSmall kind="danger" denied={deniedEdit} onClick={() => setBulk("delete")}>
                <Trash2 size={14} aria-hidden />
                Delete…
              </Button>
            </SelectionBar>
            {consumers.data?.rankedOn && (
              <p className="muted">
                Sorted by usage as of <RelativeTime time={consumers.data.rankedOn} />
              </p>
            )}
          </>
        }
        empty={
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
        }
      />
      {bulk && bucket && (
        <ManyConsumers
          bucket={bucket}
          meant={selection.isAll ? { where } : { names: chosen }}
          kind={bulk}
          onClose={() => setBulk(undefined)}
          onDone={() => {
            setBulk(undefined);
            selection.clear();
          }}
        />
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

/** Consumers from a file, each with a first key if wanted. */
function ConsumersFromFile({ bucket, onClose }: { bucket: string; onClose: () => void }) {
  const { api } = useSession();
  const [withKey, setWithKey] = useState(false);
  return (
    <ImportFile
      kind={consumerFile(api, bucket, withKey)}
      options={
        <Checkbox
          label="Create a first key for each"
          hint="The values can be saved as CSV afterwards."
          checked={withKey}
          onChange={(event) => setWithKey(event.target.checked)}
        />
      }
      onClose={onClose}
    />
  );
}

function tagOf(text: string | undefined): Record<string, string> | undefined {
  const [name, value = ""] = tagFilterOf(text);
  return name ? { [name]: value } : undefined;
}
