package main

import (
	"fmt"
	"os"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/disk"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/openapi3"
	"k8s.io/client-go/restmapper"
)

// discoveries asks what the server serves: aggregated and not, kept in memory and on disk, as RESTMapper and as OpenAPI.
func discoveries(s *session) error {
	client, err := discovery.NewDiscoveryClientForConfig(s.config)
	if err != nil {
		return err
	}
	version, err := client.ServerVersion()
	if err != nil || version.Major != "1" || version.Platform == "" {
		return fmt.Errorf("the version: %v, %v", version, err)
	}
	aggregated, err := countResources(client)
	if err != nil {
		return err
	}
	client.UseLegacyDiscovery = true
	legacy, err := countResources(client)
	if err != nil || legacy != aggregated {
		return fmt.Errorf("aggregated discovery tells of %d resources, the other of %d, %v", aggregated, legacy, err)
	}
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(client))
	if err := mappings(mapper); err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "discovery-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	cached, err := disk.NewCachedDiscoveryClientForConfig(s.config, folder, folder+"/http", time.Hour)
	if err != nil {
		return err
	}
	expander := restmapper.NewShortcutExpander(restmapper.NewDeferredDiscoveryRESTMapper(cached), cached, nil)
	kind, err := expander.KindFor(schema.GroupVersionResource{Resource: "deploy"})
	if err != nil || kind.Kind != "Deployment" {
		return fmt.Errorf("deploy is %v, %v", kind, err)
	}
	cached.Invalidate()
	if _, err := cached.ServerPreferredResources(); err != nil {
		return err
	}
	root := openapi3.NewRoot(client.OpenAPIV3())
	spec, err := root.GVSpec(schema.GroupVersion{Group: "apps", Version: "v1"})
	if err != nil || spec.Components.Schemas["io.k8s.api.apps.v1.Deployment"] == nil {
		return fmt.Errorf("OpenAPI v3 of apps/v1: %v", err)
	}
	swagger, err := client.OpenAPISchema()
	if err != nil || len(swagger.GetDefinitions().GetAdditionalProperties()) < 500 {
		return fmt.Errorf("OpenAPI v2: %v", err)
	}
	return nil
}

func countResources(client discovery.DiscoveryInterface) (int, error) {
	_, lists, err := client.ServerGroupsAndResources()
	if err != nil {
		return 0, err
	}
	count := 0
	for _, list := range lists {
		count += len(list.APIResources)
	}
	return count, nil
}

func mappings(mapper meta.ResettableRESTMapper) error {
	mapping, err := mapper.RESTMapping(schema.GroupKind{Group: "autoscaling", Kind: "HorizontalPodAutoscaler"})
	if err != nil || mapping.Resource.Version != "v2" || mapping.Scope.Name() != meta.RESTScopeNameNamespace {
		return fmt.Errorf("the mapping of HorizontalPodAutoscaler: %v, %v", mapping, err)
	}
	if _, err := mapper.RESTMapping(schema.GroupKind{Group: "nobody.example.com", Kind: "Nothing"}); !meta.IsNoMatchError(err) {
		return fmt.Errorf("a kind that nobody serves: %v", err)
	}
	mapper.Reset()
	resource, err := mapper.ResourceFor(schema.GroupVersionResource{Resource: "events"})
	if err != nil || resource.Resource != "events" {
		return fmt.Errorf("events is %v, %v", resource, err)
	}
	return nil
}
