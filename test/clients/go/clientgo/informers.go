package main

import (
	"fmt"
	"os"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/features"
	clientinformers "k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
)

const objects = 40

// informers fills a shared informer, changes objects under it, and looks at what it was told and what it holds. Streamed
// lists are expected where client-go's gate is on, and the session's content type in each answer.
func informers(s *session) error {
	defer func() {
		if os.Getenv("VERBOSE") != "" {
			s.wire.print(os.Stderr)
		}
	}()
	configMaps := s.client.CoreV1().ConfigMaps(s.namespace)
	for index := range objects {
		object := &corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("c-%d", index), Labels: map[string]string{"half": fmt.Sprint(index % 2)}},
			Data:       map[string]string{"index": fmt.Sprint(index)},
		}
		if _, err := configMaps.Create(s.ctx, object, metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	factory := clientinformers.NewSharedInformerFactoryWithOptions(s.client, time.Hour, clientinformers.WithNamespace(s.namespace))
	half := clientinformers.NewSharedInformerFactoryWithOptions(s.client, 0, clientinformers.WithNamespace(s.namespace),
		clientinformers.WithTweakListOptions(func(options *metav1.ListOptions) { options.LabelSelector = "half=1" }))
	lister, halfLister := factory.Core().V1().ConfigMaps().Lister(), half.Core().V1().ConfigMaps().Lister()
	var added, updated, deleted, first atomic.Int32
	_, err := factory.Core().V1().ConfigMaps().Informer().AddEventHandler(cache.FilteringResourceEventHandler{
		// A controller puts this one into each namespace.
		FilterFunc: func(object any) bool { return object.(*corev1.ConfigMap).Name != "kube-root-ca.crt" },
		Handler: cache.ResourceEventHandlerDetailedFuncs{
			AddFunc: func(_ any, initial bool) {
				added.Add(1)
				if initial {
					first.Add(1)
				}
			},
			UpdateFunc: func(any, any) { updated.Add(1) },
			DeleteFunc: func(any) { deleted.Add(1) },
		},
	})
	if err != nil {
		return err
	}
	for _, each := range []clientinformers.SharedInformerFactory{factory, half} {
		each.Start(s.ctx.Done())
		for kind, synced := range each.WaitForCacheSync(s.ctx.Done()) {
			if !synced {
				return fmt.Errorf("%v is not synced", kind)
			}
		}
	}
	if err := s.eventually("the handler is told of all", func() bool { return first.Load() == objects }); err != nil {
		return err
	}
	if err := change(s); err != nil {
		return err
	}
	what := "an addition, an update and a deletion are told"
	if err := s.eventually(what, func() bool { return added.Load() == objects+1 && updated.Load() == 1 && deleted.Load() == 1 }); err != nil {
		return fmt.Errorf("%w: added %d, updated %d, deleted %d", err, added.Load(), updated.Load(), deleted.Load())
	}
	held, err := lister.ConfigMaps(s.namespace).Get("c-0")
	if err != nil || held.Data["index"] != "changed" || held.Labels["half"] != "1" {
		return fmt.Errorf("the informer holds %v, %v", held, err)
	}
	// c-0 came into the half by its new label, c-1 is gone.
	inHalf := func() int {
		all, _ := halfLister.List(labels.Everything())
		return len(all)
	}
	if err := s.eventually("the selected half follows its labels", func() bool { return inHalf() == objects/2 }); err != nil {
		return fmt.Errorf("%w: it has %d", err, inHalf())
	}
	return wire(s)
}

func change(s *session) error {
	configMaps := s.client.CoreV1().ConfigMaps(s.namespace)
	object, err := configMaps.Get(s.ctx, "c-0", metav1.GetOptions{})
	if err != nil {
		return err
	}
	object.Data["index"], object.Labels["half"] = "changed", "1"
	if _, err := configMaps.Update(s.ctx, object, metav1.UpdateOptions{}); err != nil {
		return err
	}
	if err := configMaps.Delete(s.ctx, "c-1", metav1.DeleteOptions{}); err != nil {
		return err
	}
	_, err = configMaps.Create(s.ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{GenerateName: "more-"}}, metav1.CreateOptions{})
	return err
}

func wire(s *session) error {
	streamed := features.FeatureGates().Enabled(features.WatchListClient)
	if _, found := s.wire.find("GET", "/configmaps?", "sendInitialEvents=true", "watch=true", " 200 "); found != streamed {
		return fmt.Errorf("a streamed list was asked for: %v, but the gate is %v", found, streamed)
	}
	if _, found := s.wire.find("GET", "/configmaps?", "limit=500", " 200 "); found == streamed {
		return fmt.Errorf("a list in pages was asked for: %v, but lists are streamed: %v", found, streamed)
	}
	if _, found := s.wire.find("GET", "watch=true", " 200 "+s.config.ContentType); !found {
		return fmt.Errorf("no watch was answered as %s", s.config.ContentType)
	}
	if _, found := s.wire.find("PUT", " 200 "+s.config.ContentType); !found {
		return fmt.Errorf("no update was answered as %s", s.config.ContentType)
	}
	if line, found := s.wire.find(" 4"); found {
		return fmt.Errorf("refused: %s", line)
	}
	return nil
}
