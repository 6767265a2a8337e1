package main

import (
	"encoding/json"
	"fmt"
	"sync/atomic"

	applyautoscalingv1 "k8s.io/client-go/applyconfigurations/autoscaling/v1"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/tools/cache"
)

var secrets = schema.GroupVersionResource{Version: "v1", Resource: "secrets"}

func scaleTo(replicas int32) *applyautoscalingv1.ScaleApplyConfiguration {
	return applyautoscalingv1.Scale().WithSpec(applyautoscalingv1.ScaleSpec().WithReplicas(replicas))
}

// dynamicClients works on Secrets without their type: dynamic and metadata clients, and informers of both.
func dynamicClients(s *session) error {
	client, err := dynamic.NewForConfig(s.config)
	if err != nil {
		return err
	}
	meta, err := metadata.NewForConfig(s.config)
	if err != nil {
		return err
	}
	own := client.Resource(secrets).Namespace(s.namespace)
	object := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"name": "s", "labels": map[string]any{"a": "b"}},
		"stringData": map[string]any{"password": "x"},
	}}
	created, err := own.Create(s.ctx, object, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	if data, _, _ := unstructured.NestedString(created.Object, "data", "password"); data != "eA==" {
		return fmt.Errorf("the secret was made with %q", data)
	}
	if _, err := own.Create(s.ctx, object, metav1.CreateOptions{}); !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("made twice: %v", err)
	}
	if err := dynamicInformers(s, client, meta); err != nil {
		return err
	}
	partial, err := meta.Resource(secrets).Namespace(s.namespace).Get(s.ctx, "s", metav1.GetOptions{})
	if err != nil || partial.Labels["a"] != "b" || partial.Annotations["seen"] != "1" {
		return fmt.Errorf("the metadata alone: %v, %v", partial, err)
	}
	object.SetManagedFields(nil)
	unstructured.RemoveNestedField(object.Object, "stringData")
	object.SetLabels(map[string]string{"c": "d"})
	applied, err := own.Apply(s.ctx, "s", object, metav1.ApplyOptions{FieldManager: "applier"})
	if err != nil || applied.GetLabels()["c"] != "d" || applied.GetLabels()["a"] != "b" {
		return fmt.Errorf("applied: %v, %v", applied, err)
	}
	pages, options := 0, metav1.ListOptions{Limit: 1}
	if _, err := own.Create(s.ctx, &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"generateName": "t-"},
	}}, metav1.CreateOptions{}); err != nil {
		return err
	}
	for {
		page, err := own.List(s.ctx, options)
		if err != nil {
			return err
		}
		pages += 1
		if options.Continue = page.GetContinue(); options.Continue == "" {
			break
		}
	}
	if pages != 2 {
		return fmt.Errorf("2 secrets came in %d pages of one", pages)
	}
	none := metav1.ListOptions{LabelSelector: "nobody=has"}
	if err := own.DeleteCollection(s.ctx, metav1.DeleteOptions{}, none); err != nil {
		return err
	}
	if err := meta.Resource(secrets).Namespace(s.namespace).DeleteCollection(s.ctx, metav1.DeleteOptions{}, metav1.ListOptions{}); err != nil {
		return err
	}
	left, err := own.List(s.ctx, metav1.ListOptions{})
	if err != nil || len(left.Items) != 0 {
		return fmt.Errorf("left after their deletion: %v, %v", left, err)
	}
	return nil
}

func dynamicInformers(s *session, client dynamic.Interface, meta metadata.Interface) error {
	full := dynamicinformer.NewFilteredDynamicSharedInformerFactory(client, 0, s.namespace, nil)
	partial := metadatainformer.NewFilteredSharedInformerFactory(meta, 0, s.namespace, nil)
	var updates atomic.Int32
	for _, informer := range []cache.SharedIndexInformer{full.ForResource(secrets).Informer(), partial.ForResource(secrets).Informer()} {
		if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{UpdateFunc: func(_, changed any) {
			if changed.(metav1.Object).GetAnnotations()["seen"] == "1" {
				updates.Add(1)
			}
		}}); err != nil {
			return err
		}
		go informer.RunWithContext(s.ctx)
		if !cache.WaitForCacheSync(s.ctx.Done(), informer.HasSynced) {
			return fmt.Errorf("an informer is not synced")
		}
	}
	patch, _ := json.Marshal(map[string]any{"metadata": map[string]any{"annotations": map[string]any{"seen": "1"}}})
	if _, err := meta.Resource(secrets).Namespace(s.namespace).Patch(s.ctx, "s", types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
		return err
	}
	return s.eventually("both informers see the patch", func() bool { return updates.Load() == 2 })
}
