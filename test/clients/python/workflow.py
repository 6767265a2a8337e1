"""The Python client, unchanged: lists in pages, watches, writes, patches, and the dynamic client.

Usage: workflow.py NAMESPACE     (cluster and user from $KUBECONFIG)
"""

import sys
import threading
import time

from kubernetes import client, config, dynamic, watch
from kubernetes.client.rest import ApiException
from kubernetes.dynamic.exceptions import ConflictError, NotFoundError

WATCH_SECONDS = 20


def expect(what, got, wanted):
    if got != wanted:
        raise AssertionError(f"{what}: {got!r}, expected {wanted!r}")


def typed(namespace):
    core, apps = client.CoreV1Api(), client.AppsV1Api()
    for number in range(5):
        body = {"metadata": {"name": f"c-{number}", "labels": {"set": "five"}}, "data": {"n": str(number)}}
        core.create_namespaced_config_map(namespace, body)
    first = core.list_namespaced_config_map(namespace, limit=3, label_selector="set=five")
    rest = core.list_namespaced_config_map(namespace, limit=3, label_selector="set=five", _continue=first.metadata._continue)
    expect("names in two pages", [item.metadata.name for item in first.items + rest.items], [f"c-{n}" for n in range(5)])
    expect("left after the first page", first.metadata.remaining_item_count, None)

    try:
        core.create_namespaced_config_map(namespace, {"metadata": {"name": "c-0"}})
        raise AssertionError("made twice")
    except ApiException as error:
        expect("made twice", (error.status, error.reason), (409, "Conflict"))

    labels = {"app": "web"}
    container = client.V1Container(name="web", image="nginx", ports=[client.V1ContainerPort(container_port=80)])
    template = client.V1PodTemplateSpec(
        metadata=client.V1ObjectMeta(labels=labels), spec=client.V1PodSpec(containers=[container])
    )
    deployment = client.V1Deployment(
        metadata=client.V1ObjectMeta(name="web"),
        spec=client.V1DeploymentSpec(replicas=1, selector={"matchLabels": labels}, template=template),
    )
    created = apps.create_namespaced_deployment(namespace, deployment)
    expect("the generation of what is made", created.metadata.generation, 1)
    # A patch of a dict is a strategic one, of a list a JSON patch.
    patch = {"spec": {"template": {"spec": {"containers": [{"name": "web", "env": [{"name": "A", "value": "1"}]}]}}}}
    patched = apps.patch_namespaced_deployment("web", namespace, patch)
    [merged] = patched.spec.template.spec.containers
    expect("image and variable after a strategic patch", (merged.image, merged.env[0].value), ("nginx", "1"))
    patched = apps.patch_namespaced_deployment("web", namespace, [{"op": "replace", "path": "/spec/replicas", "value": 2}])
    expect("replicas after a JSON patch", patched.spec.replicas, 2)
    scale = apps.patch_namespaced_deployment_scale("web", namespace, {"spec": {"replicas": 3}})
    expect("replicas by the scale", scale.spec.replicas, 3)
    for event in watch.Watch().stream(apps.list_namespaced_deployment, namespace, timeout_seconds=WATCH_SECONDS):
        if event["object"].status.ready_replicas == 3:
            break
    else:
        raise AssertionError("three replicas never became ready")
    pods = core.list_namespaced_pod(namespace, label_selector="app=web", field_selector="status.phase=Running")
    expect("running pods", len(pods.items), 3)
    status = apps.delete_namespaced_deployment("web", namespace, body=client.V1DeleteOptions(propagation_policy="Foreground"))
    expect("a deletion answers", status.status is not None, True)


def watched(namespace):
    """A watch from a list's version sees what is done afterwards, in its order."""
    core = client.CoreV1Api()
    version = core.list_namespaced_secret(namespace).metadata.resource_version

    def work():
        core.create_namespaced_secret(namespace, {"metadata": {"name": "s"}, "stringData": {"a": "1"}})
        core.patch_namespaced_secret("s", namespace, {"metadata": {"labels": {"x": "y"}}})
        core.delete_namespaced_secret("s", namespace)

    worker = threading.Thread(target=work)
    worker.start()
    seen = []
    watcher = watch.Watch()
    for event in watcher.stream(
        core.list_namespaced_secret, namespace, resource_version=version, timeout_seconds=WATCH_SECONDS
    ):
        seen.append((event["type"], event["object"].metadata.labels))
        if event["type"] == "DELETED":
            watcher.stop()
    worker.join()
    expect("events", seen, [("ADDED", None), ("MODIFIED", {"x": "y"}), ("DELETED", {"x": "y"})])

    try:
        stream = watch.Watch().stream(core.list_namespaced_secret, namespace, resource_version="not-a-version")
        next(iter(stream))
        raise AssertionError("a watch from nowhere was answered")
    except ApiException as error:
        expect("a watch from nowhere", error.status, 400)


def untyped(namespace):
    """The dynamic client: kinds by discovery, server-side apply, a CustomResourceDefinition, and watches."""
    server = dynamic.DynamicClient(client.api_client.ApiClient())
    plural, group = "boats", "python.example.com"
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    names = {"plural": plural, "singular": "boat", "kind": "Boat", "listKind": "BoatList"}
    definitions = server.resources.get(api_version="apiextensions.k8s.io/v1", kind="CustomResourceDefinition")
    definitions.create(
        body={
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": f"{plural}.{group}"},
            "spec": {"group": group, "scope": "Namespaced", "names": names, "versions": [version]},
        }
    )
    for event in definitions.watch(field_selector=f"metadata.name={plural}.{group}", timeout=WATCH_SECONDS):
        conditions = event["object"].status.conditions or []
        if any(condition.type == "Established" and condition.status == "True" for condition in conditions):
            break
    boats = found(server, f"{group}/v1", "Boat")
    boat = {"apiVersion": f"{group}/v1", "kind": "Boat", "metadata": {"name": "b"}, "spec": {"sails": 2}}
    boats.create(body=boat, namespace=namespace)
    boats.patch(body={"spec": {"crew": 4}}, name="b", namespace=namespace, content_type="application/merge-patch+json")
    read = boats.get(name="b", namespace=namespace)
    expect("a boat", (read.spec.sails, read.spec.crew), (2, 4))
    stale = read.to_dict()
    boats.patch(body={"spec": {"crew": 5}}, name="b", namespace=namespace, content_type="application/merge-patch+json")
    try:
        boats.replace(body=stale, namespace=namespace)
        raise AssertionError("an old version was written")
    except ConflictError:
        pass
    expect("boats", [item.metadata.name for item in boats.get(namespace=namespace).items], ["b"])
    boats.delete(name="b", namespace=namespace)
    try:
        boats.get(name="b", namespace=namespace)
        raise AssertionError("a boat is left")
    except NotFoundError:
        pass
    definitions.delete(name=f"{plural}.{group}")


def found(server, api_version, kind):
    """Discovery follows a definition a moment later."""
    deadline = time.monotonic() + WATCH_SECONDS
    while True:
        try:
            server.resources.invalidate_cache()
            return server.resources.get(api_version=api_version, kind=kind)
        except dynamic.exceptions.ResourceNotFoundError:
            if time.monotonic() > deadline:
                raise


def main(namespace):
    config.load_kube_config()
    client.CoreV1Api().create_namespace({"metadata": {"name": namespace}})
    expect("the server's version", client.VersionApi().get_code().major, "1")
    typed(namespace)
    watched(namespace)
    untyped(namespace)
    client.CoreV1Api().delete_namespace(namespace)
    print("ok")


main(sys.argv[1])
