package main

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

const finalizer = "shop.example.com/plates"

// baker keeps a ConfigMap for each layer of a Cake, tells its status, and notes in another ConfigMap who was eaten.
type baker struct {
	client.Client
}

func (b *baker) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	cake := &Cake{}
	if err := b.Get(ctx, request.NamespacedName, cake); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !cake.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, b.clearUp(ctx, cake)
	}
	if controllerutil.AddFinalizer(cake, finalizer) {
		return ctrl.Result{}, b.Update(ctx, cake)
	}
	for index, layer := range cake.Spec.Layers {
		plate := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: cake.Namespace, Name: fmt.Sprintf("%s-%d", cake.Name, index)}}
		_, err := controllerutil.CreateOrPatch(ctx, b.Client, plate, func() error {
			plate.Data = map[string]string{"layer": layer}
			return controllerutil.SetControllerReference(cake, plate, b.Scheme())
		})
		if err != nil {
			return ctrl.Result{}, err
		}
	}
	// By an index of the cache: an object that was just made may come later, and with it the next round.
	var plates corev1.ConfigMapList
	if err := b.List(ctx, &plates, client.InNamespace(cake.Namespace), client.MatchingFields{ownerIndex: cake.Name}); err != nil {
		return ctrl.Result{}, err
	}
	before := cake.DeepCopyObject().(*Cake)
	cake.Status.Baked = len(plates.Items)
	cake.Status.ObservedGeneration = cake.Generation
	if len(plates.Items) >= len(cake.Spec.Layers) {
		meta.SetStatusCondition(&cake.Status.Conditions, metav1.Condition{Type: "Ready", Status: metav1.ConditionTrue, Reason: "Baked"})
	}
	return ctrl.Result{}, b.Status().Patch(ctx, cake, client.MergeFrom(before))
}

func (b *baker) clearUp(ctx context.Context, cake *Cake) error {
	if !controllerutil.ContainsFinalizer(cake, finalizer) {
		return nil
	}
	eaten := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: cake.Namespace, Name: "eaten-" + cake.Name}}
	if err := client.IgnoreAlreadyExists(b.Create(ctx, eaten)); err != nil {
		return err
	}
	controllerutil.RemoveFinalizer(cake, finalizer)
	return b.Update(ctx, cake)
}

// house gives cakes a size, and turns away what cannot be baked.
type house struct{}

func (house) Default(_ context.Context, cake *Cake) error {
	if cake.Spec.Size == "" {
		cake.Spec.Size = "medium"
	}
	return nil
}

func (house) ValidateCreate(_ context.Context, cake *Cake) (admission.Warnings, error) {
	if len(cake.Spec.Layers) == 0 {
		return nil, fmt.Errorf("a cake has layers")
	}
	if len(cake.Spec.Layers) > 3 {
		return admission.Warnings{"this one may fall over"}, nil
	}
	return nil, nil
}

func (h house) ValidateUpdate(ctx context.Context, old, cake *Cake) (admission.Warnings, error) {
	if old.Spec.Size != cake.Spec.Size {
		return nil, fmt.Errorf("the size of %s cannot change from %s to %s", cake.Name, old.Spec.Size, cake.Spec.Size)
	}
	if !cake.DeletionTimestamp.IsZero() {
		return nil, nil
	}
	return h.ValidateCreate(ctx, cake)
}

func (house) ValidateDelete(_ context.Context, cake *Cake) (admission.Warnings, error) {
	if cake.Annotations["keep"] != "" {
		return nil, fmt.Errorf("%s is to be kept", cake.Name)
	}
	return nil, nil
}
