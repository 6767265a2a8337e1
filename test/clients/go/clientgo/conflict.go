package main

import (
	"errors"
	"fmt"
	"strconv"
	"sync"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"
)

const (
	writers    = 8
	increments = 10
)

// conflicts lets writers count up one number by read and update, again where another was first: no step may be lost.
func conflicts(s *session) error {
	configMaps := s.client.CoreV1().ConfigMaps(s.namespace)
	counter := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "counter"}, Data: map[string]string{"n": "0"}}
	stale, err := configMaps.Create(s.ctx, counter, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	backoff := retry.DefaultBackoff
	backoff.Steps = 200
	increment := func() error {
		return retry.RetryOnConflict(backoff, func() error {
			object, err := configMaps.Get(s.ctx, "counter", metav1.GetOptions{})
			if err != nil {
				return err
			}
			n, err := strconv.Atoi(object.Data["n"])
			if err != nil {
				return err
			}
			object.Data["n"] = strconv.Itoa(n + 1)
			_, err = configMaps.Update(s.ctx, object, metav1.UpdateOptions{})
			return err
		})
	}
	failures := make([]error, writers)
	var group sync.WaitGroup
	for writer := range writers {
		group.Go(func() {
			for range increments {
				failures[writer] = errors.Join(failures[writer], increment())
			}
		})
	}
	group.Wait()
	if err := errors.Join(failures...); err != nil {
		return err
	}
	counted, err := configMaps.Get(s.ctx, "counter", metav1.GetOptions{})
	if err != nil || counted.Data["n"] != strconv.Itoa(writers*increments) {
		return fmt.Errorf("counted to %v, %v", counted.Data, err)
	}
	if _, err := configMaps.Update(s.ctx, stale, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
		return fmt.Errorf("an update of an old version: %v", err)
	}
	err = configMaps.Delete(s.ctx, "counter", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{ResourceVersion: &stale.ResourceVersion}})
	if !apierrors.IsConflict(err) {
		return fmt.Errorf("a deletion of an old version: %v", err)
	}
	return configMaps.Delete(s.ctx, "counter", metav1.DeleteOptions{Preconditions: metav1.NewUIDPreconditions(string(counted.UID))})
}
